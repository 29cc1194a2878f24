"""Where the figures of matplotlib go that a script shows: into files that the workstation shows."""

import atexit
import os
import tempfile

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import _Backend
from matplotlib.backends.backend_agg import FigureCanvasAgg, _BackendAgg


class _Canvas(FigureCanvasAgg):
    was_saved = False

    def print_figure(self, *args, **kwargs):
        self.was_saved = True
        return super().print_figure(*args, **kwargs)


def _save(manager):
    folder = tempfile.gettempdir()
    number = 1
    while os.path.lexists(os.path.join(folder, "figure-%d.png" % number)):
        number += 1
    manager.canvas.figure.savefig(os.path.join(folder, "figure-%d.png" % number), format="png")


@_Backend.export
class _BackendFootplate(_BackendAgg):
    FigureCanvas = _Canvas

    @staticmethod
    def show(*args, **kwargs):
        for manager in Gcf.get_all_fig_managers():
            _save(manager)
        # As if somebody had looked at them and closed their windows.
        Gcf.destroy_all()


@atexit.register
def _leave():
    # What was saved to a file is seen there already. matplotlib closes the rest right after this.
    for manager in Gcf.get_all_fig_managers():
        if not getattr(manager.canvas, "was_saved", False):
            _save(manager)
