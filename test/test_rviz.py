# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The saved view shows what the nodes publish, under the names they publish it."""

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
CONFIG = yaml.safe_load((ROOT / 'rviz' / 'arm_ik.rviz').read_text())
VIEW = CONFIG['Visualization Manager']


def shown():
    """Return topic by kind of display and name."""
    return {(display['Class'].split('/')[1], display['Name']):
            display.get('Topic', display.get('Description Topic', {})).get(
                'Value', display.get('Interactive Markers Namespace'))
            for display in VIEW['Displays']}


def test_the_view_shows_the_arm_what_the_node_says_of_it_and_a_target_to_drag():
    topics = shown()
    assert topics[('RobotModel', 'Arm')] == 'robot_description'
    assert topics[('MarkerArray', 'Target, command and reason')] == 'ik_node/markers'
    assert topics[('MarkerArray', 'Shapes to stay out of')] == 'ik_node/keep_out_markers'
    assert topics[('Path', 'Planned path')] == 'ik_node/planned_path'
    assert topics[('InteractiveMarkers', 'Target to drag')] == 'target_marker'
    assert all(display['Enabled'] for display in VIEW['Displays'] if display['Name'] != 'Frames')


def test_topics_are_relative_so_that_a_namespace_gives_another_arm():
    topics = [*shown().values(), *(tool['Topic']['Value'] for tool in VIEW['Tools']
                                   if 'Topic' in tool)]
    assert topics and not any(topic.startswith('/') for topic in topics if topic)


def test_a_click_is_a_target():
    points = [tool for tool in VIEW['Tools'] if tool['Class'].endswith('/PublishPoint')]
    assert [tool['Topic']['Value'] for tool in points] == ['target_point']


def test_the_view_stands_in_the_base_frame_in_words_the_launch_file_replaces():
    assert VIEW['Global Options']['Fixed Frame'] == 'base_link'
    text = (ROOT / 'rviz' / 'arm_ik.rviz').read_text()
    launch_file = (ROOT / 'launch' / 'display.launch.py').read_text()
    for words in ('TF Prefix: ""', 'Fixed Frame: base_link', 'Distance: 0.9', 'Z: 0.12'):
        assert text.count(words) == 1 and words in launch_file
