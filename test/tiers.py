# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which tests are thorough: those that cost most, run by ``./run_tests --all`` and not by default.

Of a test with many cases, some stay in the default tier, evenly spread over all of them.
"""

from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).parent

#: By file, and there by test: how many of its cases the default tier keeps. ``'*'``: all tests.
KEPT = {
    'bus/test_serial_driven.py': {
        'test_a_servo_that_was_not_heard_when_all_were_switched_off_is_once_it_is': 1,
        'test_without_a_servo_the_others_start_where_faults_let_them_go_on': 1,
    },
    'bus/test_mujoco.py': {
        'test_every_preset_stays_at_home': 5,
        'test_other_cubes_are_lifted_too': 1,
    },
    'demo/test_physics.py': {
        'test_the_demo_lifts_and_places_a_cube_and_draws_that': 0,
        'test_without_egl_all_but_the_pictures_is_done': 0,
    },
    'kinematics/branch_hysteresis/test_continuity.py': {
        'test_across_the_edge_of_reach_and_back_on_random_arms': 4,
        'test_across_the_edge_of_reach_and_back_with_a_rolling_base': 0,
        'test_across_the_edge_of_reach_and_back_with_a_tilting_wrist': 0,
    },
    'kinematics/branch_hysteresis/test_track.py': {
        'test_every_answer_is_measured_inside_and_within_the_tolerance_of_the_optimum': 1,
        'test_without_up_vectors_no_joint_jumps_where_an_answer_is_continuous': 1,
    },
    'kinematics/closest/planar/test_section.py': {'test_what_is_left_out_is_not_missed': 1},
    'kinematics/closest/test_closest.py': {
        'test_too_close_to_the_shoulder_a_hand_that_any_direction_suits_takes_the_up_vector': 1,
    },
    'kinematics/closest/test_global_optimum.py': {
        'test_above_a_floor_brute_force_finds_nothing_nearer': 1,
        'test_brute_force_finds_no_better_pose': 1,
        'test_what_was_bettered_once_is_not_any_more': 2,
    },
    'kinematics/explanation/test_reason.py': {
        'test_every_word_of_a_reason_is_true': 1,
        'test_what_the_links_are_short_of_is_what_brute_force_says': 1,
    },
    'kinematics/position_only/test_position_only.py': {
        'test_inside_the_circle_of_the_arm_plane_the_elevation_is_the_nearest_to_the_wanted': 1,
    },
    'kinematics/rolled_tip/test_rolled_tip.py': {
        'test_the_floor_counts_the_tip_and_the_end_of_the_last_link': 3,
        'test_what_can_be_reached_is_reached': 1,
    },
    'kinematics/test_degenerate.py': {
        'test_a_degenerate_target_is_met': 3,
        'test_just_beside_it_targets_are_met_too': 15,
        'test_no_sampled_member_of_the_family_is_nearer': 3,
    },
    'kinematics/test_fast_path.py': {'test_it_gives_the_general_answers_on_random_arms': 4},
    'kinematics/test_reached.py': {'test_what_is_called_reached_is_what_the_solver_meets': 3},
    'kinematics/test_solver.py': {
        'test_branches_below_the_floor_are_passed_over': 1,
    },
    'motion/test_cubic_spline.py': {'test_a_spline_to_a_goal_is_as_the_generator_goes': 3},
    'motion/test_jog.py': {
        'test_a_new_direction_in_any_pose_makes_no_leap': 1,
        'test_jogging_into_limits_and_the_edge_of_reach_keeps_every_bound_and_says_why': 1,
        'test_joints_move_as_the_jacobian_of_the_urdf_says': 1,
        'test_the_tip_never_outruns_its_twist_nor_leaves_its_line_and_gets_as_far_as_it_can': 1,
    },
    'motion/test_line.py': {
        'test_fast_lines_of_any_rate_are_inside_all_limits': 1,
        'test_random_lines_are_straight_inside_all_limits_and_as_fast_as_can_be': 4,
    },
    'nodes/ik/test_flood.py': {
        'test_in_a_flood_commands_go_on_memory_stays_and_the_newest_target_wins': 1,
    },
    'nodes/ik/test_jogging.py': {'test_nor_does_it_on_a_busy_machine': 3},
    'nodes/ik/test_moving_target.py': {
        'test_a_pause_or_another_speed_keeps_lines_and_limits': 2,
        'test_corners_are_within_a_millimetre': 2,
    },
    'nodes/test_both_nodes.py': {
        'test_any_arm_comes_to_rest_at_random_targets_and_opens_its_gripper': 1,
    },
    'nodes/test_clock.py': {
        'test_where_time_stands_still_a_command_from_before_a_stop_is_old_and_a_new_one_new': 1,
    },
    'servos/test_first_motion.py': {'*': 0},
    'teach/test_replay_on_topics.py': {
        'test_a_replay_plays_twice_and_ik_node_takes_targets_again': 0,
    },
    'viewer/test_explanation.py': {'test_what_is_drawn_is_what_the_solver_says': 8},
    'viewer/test_chromium.py': {
        'test_a_number_that_is_typed_counts_when_it_is_complete_and_inside_the_limits': 0,
        'test_each_press_of_space_stops_whatever_is_held': 0,
        'test_keys_move_the_tip_until_they_are_released_or_the_focus_is_elsewhere': 0,
        'test_space_stops_once_wherever_the_focus_is_and_does_nothing_else': 0,
        'test_the_page_comes_up_and_stops_from_any_window': 1,
        'test_the_target_is_dragged_by_mouse': 0,
    },
    'viewer/test_gamepad.py': {
        'test_a_scripted_pad_moves_the_tip_until_it_is_released_or_not_seen': 0,
    },
    'viewer/test_what_is_gone.py': {
        'test_a_page_says_that_its_viewer_is_gone_and_not_that_it_is_back': 0,
        'test_both_nodes_are_killed_and_come_back': 0,
        'test_one_node_ends': 1,
        'test_positions_that_are_no_numbers_are_dropped_and_told': 0,
    },
    'viewer/test_words.py': {'*': 0},
    'reliability/test_reliability.py': {'test_the_short_form_keeps_every_promise': 0},
    'workspace/test_region.py': {
        'test_the_cells_between_those_looked_at_are_what_they_would_be': 2,
        'test_the_tip_gets_to_cells_marked_as_reached_and_to_no_others': 2,
        'test_the_tip_of_any_kind_of_arm_gets_to_cells_marked_as_reached_and_to_no_others': 0,
    },
    'workspace/test_why_unreached.py': {
        'test_an_up_vector_across_the_slice_is_out_of_the_plane_of_an_arm_that_only_yaws': 0,
        'test_reached_with_an_up_vector_is_what_the_solver_says': 3,
    },
    'test_benchmark.py': {'*': 0},
    'test_site.py': {'*': 0},
    'test_style.py': {'*': 0},
    'test_types.py': {'*': 0},
}


#: What the table names and is not there; a test in ``test_layout.py`` shows it.
MISSING = []


def mark(items):
    """Mark the thorough ones of the tests that pytest has collected."""
    cases = defaultdict(list)
    for item in items:
        file = item.path.relative_to(FOLDER).as_posix()
        cases[file, '*'].append(item)
        cases[file, getattr(item, 'originalname', item.name)].append(item)
    for file, tests in KEPT.items():
        for test, kept in tests.items():
            found = cases[file, test]
            if not (FOLDER / file).exists() or cases[file, '*'] and len(found) <= kept:
                MISSING.append(f'{file}::{test}, more than {kept}')
            stay = {(2 * number + 1) * len(found) // (2 * kept) for number in range(kept)}
            for number, item in enumerate(found):
                if number not in stay:
                    item.add_marker('thorough')
