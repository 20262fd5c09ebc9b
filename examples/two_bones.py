# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Two bones in a plane, by both methods, in a page of the browser; needs the extra viewer."""

from arm_ik.viewer.explain_panel import facing
from arm_ik.viewer.explanation import two_bones
from arm_ik.viewer.guarded_server import GuardedServer
from arm_ik.viewer.page_words import in_steps, STYLE
from arm_ik.viewer.scene import Drawing

server = GuardedServer(port=0)      # any that is free
gui, scene, drawing = server.gui, server.scene, Drawing(server.scene)
gui.configure_theme(show_logo=False, show_share_button=False)
gui.add_html(STYLE)
scene.set_up_direction('+y')
scene.add_frame('/explain', show_axes=False)
inputs = [*[gui.add_slider(f'{name} [mm]', 0.0, 200.0, 1.0, 120.0) for name in ('l1', 'l2')],
          *[gui.add_dropdown(name, ('1', '-1')) for name in ('Bend', 'Side')],
          gui.add_dropdown('Out of reach', ('clamp', 'stretch'))]
steps = gui.add_html('')
target = scene.add_transform_controls('/target', scale=0.08, active_axes=(True, True, False),
                                      disable_rotations=True, position=(0.15, 0.1, 0.0))


async def draw(_):      # a coroutine: one after the other
    l1, l2, bend, side, beyond = [it.value for it in inputs]
    case = 1e-3 * l1, 1e-3 * l2, *map(float, target.position[:2])
    drawn = two_bones(*case, int(bend), int(side), beyond == 'stretch').laid_out()
    drawing.show(drawn)
    steps.content = in_steps([drawn.steps], (
        'from arm_ik.kinematics.two_link import solve_angles, solve_elbow\n\n'
        f'solve_angles{(*case, int(bend))}\nsolve_elbow{(*case, int(side), beyond == "stretch")}'))


for it in (*inputs, target):
    it.on_update(draw)
for key, value in facing(two_bones(0.12, 0.12, 0.15, 0.1), 1.0).items():
    setattr(server.initial_camera, key, value)
server.on_client_connect(draw)
print(f'http://127.0.0.1:{server.bound_port}/', flush=True)
server.sleep_forever()
