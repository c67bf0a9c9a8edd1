"""A running drawn drill: visitors over TLS and HTTP/2, slow visitors, and the harmless change besides the fault."""

import threading
import time

from drill import Run
from servers import Nginx
from slow_visitors import slow_visitors
from stage import Missing
from witness import seen, served_again, suffered, visits_of, witness

BURSTS = 400  # of visitors at one instant, in one run of the load


class DrawnRun(Run):
    allowed = ""  # the file of permitted targets of the load over TLS

    def __init__(self, drill, *rest):
        super().__init__(drill, *rest)
        self.draw, self.back = drill.draw, drill.back
        # All of them: a server is as busy as in the fault until its queues of that time are empty.
        self.crowded = True
        self.healed = threading.Event()
        self.cures.append(self.healed.set)

    # ---- visitors -------------------------------------------------------------------------------------------------

    def load(self, name, rate, path="/", pages=0, patience=8, via=None, clients=None, together=1):
        if self.draw.protocol == "clear":
            return super().load(name, rate, path, pages, patience, via, clients, **({"together": together} if together > 1 else {}))
        link = via or self.link
        phases = "%gx86400" % rate
        if together > 1:
            phases = ",".join(["%gx0.05,0.01x%g" % (together / 0.05, 1 / rate - 0.05)] * BURSTS)
        what = ["--pages", pages]
        if not pages:
            urls = "%s/%s-%s.urls" % (self.stage.work, self.drill.name, name)
            with open(urls, "w") as file:
                file.write(path + "\n")
            what = ["--urls", urls]
        command = [part.replace("-Xmx48m", "-Xmx192m") for part in self.load_command[:-1]] + ["dev.komainu.load.Load"]
        return self.stage.start("%s-%s" % (self.drill.name, name), command + ["--target", "https://%s:%d" % (link.server, self.watched.port), "--insecure", "--allow", self.allowed,
            "--http", "2" if self.draw.protocol == "h2" else "1.1", "--parallel", 1, "--from", clients or link.clients, "--phases", phases, "--patience", patience,
            "--seed", 7, "--zipf", 0, "--quiet", *what], ns="client")

    def slow_crowd(self, what, rate, path, seconds, size):
        """Slow visitors from the onset to the cure."""
        self.onset(lambda: self.crowds.append(slow_visitors(self, what, rate, path, seconds, size, self.draw.protocol != "clear")))
        self.cure(self.dismiss)

    def repeatedly(self, every, action):
        """An action at the onset and again after each interval until the cure."""
        def work():
            while not self.healed.is_set():
                try:
                    action()
                except (OSError, Missing):
                    pass
                self.healed.wait(every)

        self.onset(lambda: threading.Thread(target=work, daemon=True).start())

    def verdict(self):
        told = super().verdict()
        if told["run"]:
            with open("%s/%s-witness.log" % (self.stage.work, self.drill.name)) as lines:
                visits = visits_of(lines)
            told["visitors"] = seen(visits, told["times"])
            told["suffered"] = suffered(told["visitors"])
            self.wait_for_visits(told, visits)
        return told

    @staticmethod
    def wait_for_visits(told, visits):
        """A fault is over for visitors when the queue is empty, and when the witness is served as before: what waits inside the server counts, too."""
        later = served_again(visits, told["times"], told["visitors"]) - told["times"]["served"]
        if told["suffered"] and later > 0:
            told["times"]["served"] += later
            told["drainedSeconds"] = round(told["drainedSeconds"] + later, 1)
            if told["secondsToRecover"] is not None:
                told["secondsToRecover"] = round(max(0, told["secondsToRecover"] - later), 1)

    # ---- the harmless change ----------------------------------------------------------------------------------------

    def set_up(self):
        if self.draw.harmless == "neighbour":
            self.neighbour = Nginx(self.stage, self.drill.name + "-neighbour")
            self.neighbour.start()
        super().set_up()
        _, path, options = self.loads[0]
        witness(self, options.get("via") or self.link, "/page/1.html" if options.get("pages") else options.get("path", path), self.draw.protocol != "clear")

    def induce(self):
        if self.draw.harmless == "none":
            return super().induce()
        after, change = self.draw.harmless_after, getattr(self, "change_" + self.draw.harmless)
        if after < 0:
            change()
            time.sleep(-after)
        else:
            timer = threading.Timer(after, change)
            timer.daemon = True
            timer.start()
        super().induce()

    def background(self, name, command):
        self.stage.start("%s-%s" % (self.drill.name, name), command, silent=True)

    def change_reload(self):
        self.watched.reload()

    def change_rotation(self):
        log = "%s/%s-old.log" % (self.stage.work, self.drill.name)
        self.background("gzip", ["sh", "-c", "seq 1 6000000 >%s && nice -n 10 gzip -f %s" % (log, log)])

    def change_load(self):
        rate, path, options = self.loads[0]
        self.load("more", rate * 0.15, path, **options)

    def change_cron(self):
        self.background("cron", ["sh", "-c", "timeout 3 find /usr -type f -exec stat -c '%s %n' {} + | sort | md5sum"])

    def change_blip(self):
        self.background("blip", ["timeout", "1.5", "sh", "-c", "while :; do :; done"])

    def change_neighbour(self):
        self.neighbour.stop()
        self.neighbour.start()
