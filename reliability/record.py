# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The figures on record: docs/reliability.json, and docs/reliability.md made from it.

The record holds, by experiment and then by ROS 2 distribution, the figures of the newest full run
and its circumstances. Writing one experiment leaves the others as they are.
"""

import json
from pathlib import Path

from . import experiments
from .figure import Figure

_DOCS = Path(__file__).resolve().parents[1] / 'docs'
JSON = _DOCS / 'reliability.json'
PAGE = _DOCS / 'reliability.md'

_HEAD = """\
# Reliability, in figures

What goes wrong when a great many targets, faults and loads are tried on the solver and on the
real nodes. Each section says what is done, what is wanted and what was seen; the command below a
table repeats it.

```
python -m reliability              # everything; hours
python -m reliability --short      # seconds each, as the tests run it
```

This page is made from [reliability.json](reliability.json) by `python -m reliability --render`.
A plus behind a commit says that files differed from it.
"""


def load():
    """Return the record; empty where nothing has been written yet."""
    return json.loads(JSON.read_text(encoding='utf-8')) if JSON.exists() else {}


def store(name, distro, figures, **circumstances):
    """
    Put an experiment's figures on record and render the page.

    :param name: of the experiment.
    :param distro: the ROS 2 distribution it was run on.
    :param figures: list of :class:`~.figure.Figure`.
    :param circumstances: by name: command, seed, commit, date, machine, seconds.
    """
    record = load()
    record.setdefault(name, {})[distro] = {
        **circumstances, 'figures': [figure._asdict() for figure in figures]}
    JSON.write_text(json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + '\n',
                    encoding='utf-8')
    render()


def render():
    """Write the page that the record makes."""
    PAGE.write_text(page(), encoding='utf-8')


def page():
    """Return the page that the record makes."""
    record = load()
    sections = [_section(name, record.get(name, {})) for name in experiments.names()]
    return '\n'.join([_HEAD, *sections])


def _section(name, runs):
    summary, _, rest = experiments.about(name).replace('``', '`').partition('\n\n')
    told = [f'## `{name}`\n', ' '.join(summary.split()) + '\n',
            *([rest.strip() + '\n'] if rest else [])]
    if not runs:
        return '\n'.join([*told, 'No full run is on record yet.\n'])
    return '\n'.join([*told, *_table(runs), '',
                      *(_circumstances(distro, run) for distro, run in sorted(runs.items()))])


def _table(runs):
    distros = sorted(runs)
    figures = {distro: {figure['what']: Figure(**figure) for figure in runs[distro]['figures']}
               for distro in distros}
    promises = list(dict.fromkeys(what for distro in distros for what in figures[distro]))
    yield f'| | wanted | {" | ".join(map(_title, distros))} |'
    yield '|---|---|' + '---|' * len(distros)
    for what in promises:
        cells = [figures[distro].get(what) for distro in distros]
        wanted = next(figure.wanted for figure in cells if figure)
        yield f'| {what} | {wanted} | {" | ".join(map(_seen, cells))} |'


def _seen(figure):
    if figure is None:
        return ''
    return figure.seen if figure.held else f'**missed:** {figure.seen}'


def _title(distro):
    return 'no ROS' if distro == 'none' else distro.capitalize()


def _circumstances(distro, run):
    return (f'{_title(distro)}: `{run["command"]}`, {run["date"]}, commit {run["commit"]}, '
            f'{run["seconds"]} s on {run["machine"]}.\n')
