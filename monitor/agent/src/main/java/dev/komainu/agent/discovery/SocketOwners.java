package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A search for the processes that own sockets, by inode. It walks over every process's descriptors,
 * so it runs only when a listening socket appears. One thread at a time.
 */
final class SocketOwners {

    /** Programs that run different servers, told apart by their command lines. */
    private static final Pattern SHARED =
            Pattern.compile("/(?:python|pypy|perl|ruby|node|uwsgi)[^/]*$");

    private final ProcFiles proc;

    SocketOwners(ProcFiles proc) {
        this.proc = proc;
    }

    /** Returns the top process of each inode. Sockets without a visible owner are left out. */
    Map<Long, Long> of(Set<Long> inodes) {
        Map<Long, Long> owners = new HashMap<>();
        Set<Long> missing = new HashSet<>(inodes);
        // In ascending order of ids: a server's master is older than its workers. When ids have
        // wrapped around, the climb to the top process corrects the result.
        for (long id : proc.numbersIn(".")) {
            // Process 1 holds the sockets it passes to other processes (socket activation), so it
            // is searched last.
            if (id != 1 && !missing.isEmpty()) {
                claim(id, missing, owners);
            }
        }
        if (!missing.isEmpty()) {
            claim(1, missing, owners);
        }
        owners.replaceAll((inode, id) -> top(id));
        return owners;
    }

    private void claim(long id, Set<Long> missing, Map<Long, Long> owners) {
        for (long descriptor : proc.numbersIn(id + "/fd")) {
            String target = proc.link(id + "/fd/" + descriptor);
            if (target != null && target.startsWith("socket:[") && target.endsWith("]")) {
                String number = target.substring(8, target.length() - 1);
                long inode = number.matches("[0-9]{1,18}") ? Long.parseLong(number) : -1;
                if (missing.remove(inode)) {
                    owners.put(inode, id);
                }
            }
        }
    }

    /** Returns the highest ancestor that runs the same program. */
    private long top(long id) {
        long top = id;
        for (int steps = 0; steps < 16; steps++) {
            ProcessStat stat = ProcessStat.parse(proc.read(top + "/stat"));
            if (stat == null || stat.parentId() <= 1 || !sameProgram(top, stat, stat.parentId())) {
                break;
            }
            top = stat.parentId();
        }
        return top;
    }

    /**
     * Reports whether parent and child run the same program: by executable, or by the kernel's
     * short name when the executable of a master under another user is not visible.
     */
    private boolean sameProgram(long child, ProcessStat childStat, long parent) {
        String parentProgram = proc.link(parent + "/exe");
        if (parentProgram != null) {
            // A Java virtual machine never forks workers. One that was started by another is a
            // separate server.
            return parentProgram.equals(proc.link(child + "/exe"))
                    && !parentProgram.endsWith("/java")
                    && (!SHARED.matcher(parentProgram).find() || sameLaunch(child, parent));
        }
        ProcessStat parentStat = ProcessStat.parse(proc.read(parent + "/stat"));
        return parentStat != null && parentStat.name().equals(childStat.name());
    }

    /**
     * Reports whether a worker was forked by its parent and not started by it: a forked process has
     * the same command line, or a title that begins with the same word. A supervisor in Python
     * starts a server in Python, and uWSGI's emperor starts other servers.
     */
    private boolean sameLaunch(long child, long parent) {
        String line = proc.text(child + "/cmdline");
        String above = proc.text(parent + "/cmdline");
        return line.equals(above)
                || (isTitle(line) && isTitle(above) && firstWord(line).equals(firstWord(above)));
    }

    private static boolean isTitle(String line) {
        return line.replaceAll("\0+$", "").indexOf('\0') < 0;
    }

    private static String firstWord(String line) {
        return line.strip().split("\\s+", 2)[0];
    }
}
