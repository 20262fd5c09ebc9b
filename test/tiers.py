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

#: By file, and there by test: how many of its cases the default tier keeps. ``'*'``: of each test.
KEPT = {
    'bus/test_grippers_on_buses.py': {'*': 4},
    'bus/test_mujoco.py': {
        'test_every_preset_stays_at_home': 5,
        'test_other_cubes_are_lifted_too': 1,
    },
    'bus/test_protocols.py': {
        'test_of_answers_hit_at_random_few_pass_the_check_and_fewer_are_believed': 6,
    },
    'bus/test_serial_driven.py': {
        '*': 2,
        'test_a_servo_that_was_not_heard_when_all_were_switched_off_is_once_it_is': 1,
        'test_without_a_servo_the_others_start_where_faults_let_them_go_on': 1,
    },
    'bus/test_slow_adapters.py': {'*': 2},
    'collision/test_gripper_vertices.py': {'*': 7},
    'demo/test_demo.py': {
        'test_a_domain_of_the_users_is_used_so_that_it_can_be_watched': 0,
        'test_a_line_is_straight_and_as_fast_as_the_file_says_and_a_wait_is_waited': 0,
        'test_what_cannot_be_done_and_should_be_fails_the_demo': 0,
    },
    'demo/test_physics.py': {
        'test_objects_that_cannot_be_end_the_driver_with_one_line': 1,
        'test_the_demo_lifts_and_places_a_cube_and_draws_that': 0,
        'test_without_egl_all_but_the_pictures_is_done': 0,
    },
    'demo/test_picture.py': {'test_a_run_of_few_poses_can_be_drawn': 1},
    'description/test_urdf_reader.py': {
        'test_a_made_up_arm_is_read_with_its_lengths_and_its_tip': 6,
        'test_what_is_written_is_read_again_or_the_kind_is_named': 14,
    },
    'drivers/test_goal_streams.py': {'*': 4},
    'drivers/test_imperfect_servos.py': {
        'test_a_servo_that_was_silent_gets_no_goal_away_from_where_it_is': 12,
    },
    'kinematics/branch_hysteresis/test_continuity.py': {
        '*': 2,
        'test_across_the_edge_of_reach_and_back_on_random_arms': 4,
        'test_across_the_edge_of_reach_and_back_with_a_rolling_base': 0,
        'test_across_the_edge_of_reach_and_back_with_a_tilting_wrist': 0,
    },
    'kinematics/branch_hysteresis/test_track.py': {
        'test_every_answer_is_measured_inside_and_within_the_tolerance_of_the_optimum': 1,
        'test_without_up_vectors_no_joint_jumps_out_of_reach_and_above_a_floor': 1,
        'test_without_up_vectors_no_joint_jumps_where_an_answer_is_continuous': 1,
    },
    'kinematics/closest/planar/test_section.py': {'test_what_is_left_out_is_not_missed': 1},
    'kinematics/closest/spatial/test_distance_search.py': {'*': 2},
    'kinematics/closest/test_closest.py': {
        '*': 3,
        'test_too_close_to_the_shoulder_a_hand_that_any_direction_suits_takes_the_up_vector': 1,
    },
    'kinematics/closest/test_global_optimum.py': {
        '*': 2,
        'test_above_a_floor_brute_force_finds_nothing_nearer': 1,
        'test_above_a_floor_no_joint_that_comes_to_its_limit_stops_the_others': 1,
        'test_above_a_floor_the_last_link_is_turned_to_the_up_vector_with_the_tip_as_near': 1,
        'test_brute_force_finds_no_better_pose': 1,
    },
    'kinematics/explanation/test_reason.py': {'*': 1},
    'kinematics/position_only/test_position_only.py': {
        '*': 2,
        'test_inside_the_circle_of_the_arm_plane_the_elevation_is_the_nearest_to_the_wanted': 1,
    },
    'kinematics/position_only/test_up_range.py': {'*': 2},
    'kinematics/rolled_tip/test_rolled_tip.py': {'*': 1},
    'kinematics/test_batch.py': {'*': 2},
    'kinematics/test_batch_chunks.py': {'*': 2},
    'kinematics/test_degenerate.py': {
        'test_a_degenerate_target_is_met': 3,
        'test_it_is_met_by_the_only_members_of_the_family_that_the_limits_allow': 9,
        'test_just_beside_it_targets_are_met_too': 15,
        'test_no_sampled_member_of_the_family_is_nearer': 3,
    },
    'kinematics/test_fast_path.py': {'*': 4},
    'kinematics/test_forward.py': {'*': 3},
    'kinematics/test_rounding.py': {'*': 3},
    'kinematics/test_solver.py': {'*': 3, 'test_branches_below_the_floor_are_passed_over': 1},
    'kinematics/test_three_axes.py': {'*': 2},
    'motion/test_approach.py': {'test_every_preset_has_a_line_or_a_reason': 7},
    'motion/test_cubic_spline.py': {'test_a_spline_to_a_goal_is_as_the_generator_goes': 3},
    'motion/test_jog.py': {
        'test_a_new_direction_in_any_pose_makes_no_leap': 1,
        'test_jogging_into_limits_and_the_edge_of_reach_keeps_every_bound_and_says_why': 1,
        'test_joints_move_as_the_jacobian_of_the_urdf_says': 1,
        'test_the_tip_never_outruns_its_twist_nor_leaves_its_line_and_gets_as_far_as_it_can': 1,
    },
    'motion/test_joint_path.py': {'*': 2},
    'motion/test_line.py': {
        'test_corners_are_rounded_inside_their_radius': 4,
        'test_fast_lines_of_any_rate_are_inside_all_limits': 1,
        'test_random_lines_are_straight_inside_all_limits_and_as_fast_as_can_be': 4,
        'test_where_a_chain_of_answers_goes_without_an_up_vector_a_line_goes': 4,
    },
    'nodes/driver/test_driver_node.py': {
        'test_a_signal_ends_a_busy_driver_with_exit_code_0_and_no_traceback': 1,
    },
    'nodes/ik/test_exceptional_input.py': {
        'test_random_and_exceptional_targets_never_crash_it': 1,
    },
    'nodes/ik/test_flood.py': {'*': 0},
    'nodes/ik/test_goals.py': {'test_what_is_inside_the_base_is_what_the_urdf_shows_there': 1},
    'nodes/ik/test_ik_node.py': {'test_bytes_that_are_no_message_do_no_harm': 1},
    'nodes/ik/test_jogging.py': {'*': 2},
    'nodes/ik/test_lines_of_core.py': {
        'test_a_target_dragged_sideways_is_followed_with_the_nearest_up_vector_of_the_plane': 1,
    },
    'nodes/ik/test_moving_target.py': {'*': 1},
    'nodes/ik/test_path_checker.py': {
        'test_a_jog_slows_and_stops_before_a_table_and_can_be_led_away': 1,
    },
    'nodes/ik/test_planning_beside.py': {'*': 3},
    'nodes/ik/test_speed_and_pause.py': {'*': 2},
    'nodes/ik/test_trajectories_of_core.py': {'*': 2},
    'nodes/ik/test_twist_topic.py': {'*': 1},
    'nodes/startup/test_command_line.py': {'*': 3},
    'nodes/startup/test_discovery.py': {
        '*': 2,
        'test_both_nodes_and_a_stock_program_find_each_other_among_fifty_others': 0,
    },
    'nodes/startup/test_start.py': {'*': 1},
    'nodes/test_both_nodes.py': {'*': 1},
    'nodes/test_clock.py': {'*': 1},
    'reliability/test_reliability.py': {'test_the_short_form_keeps_every_promise': 0},
    'servos/test_calibrate.py': {
        'test_a_joint_moved_by_little_is_told_of': 0,
        'test_a_pose_held_still_is_taken_and_a_wrong_one_is_not': 0,
        'test_one_pose_or_one_joint_is_held_again_without_the_others': 0,
        'test_replies_lost_while_an_eeprom_is_written_cost_time_and_nothing_else': 0,
    },
    'servos/test_first_motion.py': {'*': 0},
    'servos/test_named_poses.py': {
        'test_poses_are_far_apart_inside_the_limits_and_clear_of_floor_and_base': 8,
    },
    'servos/test_teach.py': {'test_a_replay_goes_slowly_through_the_poses_and_holds': 0},
    'teach/test_replay_on_topics.py': {
        '*': 1,
        'test_a_replay_plays_twice_and_ik_node_takes_targets_again': 0,
        'test_in_any_order_of_replay_teach_stop_unplug_and_kill_nothing_leaps': 0,
    },
    'teleop/test_teleop.py': {'*': 2},
    'viewer/test_chromium.py': {
        'test_a_number_that_is_typed_counts_when_it_is_complete_and_inside_the_limits': 0,
        'test_each_press_of_space_stops_whatever_is_held': 0,
        'test_keys_move_the_tip_until_they_are_released_or_the_focus_is_elsewhere': 0,
        'test_space_stops_once_wherever_the_focus_is_and_does_nothing_else': 0,
        'test_the_page_comes_up_and_stops_from_any_window': 1,
        'test_the_target_is_dragged_by_mouse': 0,
    },
    'viewer/test_controls.py': {'test_a_speed_is_that_of_the_node_by_whomever_it_is_set': 1},
    'viewer/test_explanation.py': {'test_what_is_drawn_is_what_the_solver_says': 5},
    'viewer/test_gamepad.py': {
        'test_a_pad_without_the_standard_layout_is_named_and_moves_nothing': 0,
        'test_a_scripted_pad_moves_the_tip_until_it_is_released_or_not_seen': 0,
        'test_the_page_says_what_to_do_where_there_is_no_secure_context': 0,
    },
    'viewer/test_page.py': {'test_mistakes_are_told_and_nothing_starts': 1},
    'viewer/test_what_is_gone.py': {
        'test_a_page_says_that_its_viewer_is_gone_and_not_that_it_is_back': 0,
        'test_both_nodes_are_killed_and_come_back': 0,
        'test_one_node_ends': 1,
        'test_positions_that_are_no_numbers_are_dropped_and_told': 0,
    },
    'viewer/test_words.py': {'*': 0},
    'workspace/test_region.py': {
        'test_the_cells_between_those_looked_at_are_what_they_would_be': 2,
        'test_the_tip_gets_to_cells_marked_as_reached_and_to_no_others': 2,
        'test_the_tip_of_any_kind_of_arm_gets_to_cells_marked_as_reached_and_to_no_others': 0,
    },
    'workspace/test_why_unreached.py': {
        '*': 2,
        'test_an_up_vector_across_the_slice_is_out_of_the_plane_of_an_arm_that_only_yaws': 0,
    },
    'workspace/test_workspace_picture.py': {
        'test_a_png_and_an_svg_are_written_also_where_nothing_is_reached': 0,
        'test_neither_display_nor_settings_nor_time_go_into_the_bytes_and_ros_is_not_asked': 0,
    },
    'test_arm.py': {'test_numpy_numbers_come_in_and_plain_floats_go_out': 3},
    'test_benchmark.py': {'*': 0},
    'test_layout.py': {'test_a_file_uses_no_private_name_of_others': 0},
    'test_readme.py': {'test_the_pytest_examples_of_the_harness_pass': 1},
    'test_site.py': {'*': 0},
    'test_style.py': {'*': 0},
    'test_types.py': {'*': 0},
}


#: What the table names and is not there; a test in ``test_layout.py`` shows it.
MISSING = []


def mark(items):
    """Mark the thorough ones of the tests that pytest has collected."""
    cases = defaultdict(lambda: defaultdict(list))
    for item in items:
        file = item.path.relative_to(FOLDER).as_posix()
        cases[file][getattr(item, 'originalname', item.name)].append(item)
    for file, tests in KEPT.items():
        missing = tests.keys() - {'*', *cases[file]} if cases[file] else {}
        if missing or not (FOLDER / file).exists():
            MISSING.append(f'{file}: {", ".join(missing)}')
        for test, found in cases[file].items():
            kept = tests.get(test, tests.get('*', len(found)))
            stay = {(2 * number + 1) * len(found) // (2 * kept) for number in range(kept)}
            for number, item in enumerate(found):
                if kept < len(found) and number not in stay:
                    item.add_marker('thorough')
