# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Send a target over ROS 2 and wait until the arm is there; both nodes have to run."""

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future

rclpy.init()
node = rclpy.create_node('send_target')
publisher = node.create_publisher(PoseStamped, 'target_pose', 1)
heard, ended = [], Future()

target = PoseStamped()
target.header.frame_id = 'base_link'
target.header.stamp = stamp = node.get_clock().now().to_msg()  # tells it from others
target.pose.position.x, target.pose.position.y, target.pose.position.z = 0.20, 0.05, 0.05  # m
target.pose.orientation.y, target.pose.orientation.w = 1.0, 0.0  # the hand straight down


def on_status(message):
    """Print what becomes of the target; a status of an earlier one may come first."""
    status = {item.key: item.value for item in message.values}
    heard.append(status)
    if status['target_stamp'] == f'{stamp.sec}.{stamp.nanosec:09d}':
        print(status['state'], status['status'], status['reason'])
        if status['state'] in ('arrived', 'refused'):
            ended.set_result(status)


latched = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
node.create_subscription(DiagnosticStatus, 'ik_node/status', on_status, latched)
print('waiting for ik_node, which says so when it knows where the arm is')
while not (heard and publisher.get_subscription_count()):
    rclpy.spin_once(node, timeout_sec=0.1)
publisher.publish(target)
rclpy.spin_until_future_complete(node, ended)
if ended.result()['state'] == 'refused':
    raise SystemExit('the target was refused')
print(f'off by {ended.result()["position_error_m"]} m')
