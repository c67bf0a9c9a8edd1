package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TCP sockets of this network namespace, the listening ones each by itself. Asked by netlink
 * where possible, since only that tells a queue's limit and never walks the connections; else read
 * from {@code /proc/net/tcp} and {@code tcp6}. One thread at a time.
 */
public final class ListenerTable implements AutoCloseable {

    private final ProcFiles proc;
    private final boolean askKernel;
    private @Nullable SocketDiagnosis kernel;
    private boolean kernelRefused;

    /** @param askKernel false keeps to the files, as tests with a copied {@code /proc} must */
    public ListenerTable(ProcFiles proc, boolean askKernel) {
        this.proc = proc;
        this.askKernel = askKernel;
    }

    public List<ListeningSocket> read() {
        if (askKernel && !kernelRefused) {
            List<ListeningSocket> answer = ask();
            if (answer != null) {
                return answer;
            }
        }
        List<ListeningSocket> rows = new ArrayList<>();
        for (String name : List.of("net/tcp", "net/tcp6")) {
            String text = proc.readWhile(name, ListeningSocket::mayFollow);
            if (text != null) {
                rows.addAll(ListeningSocket.parse(text));
            }
        }
        return rows;
    }

    /**
     * Counts every connection of this network namespace, those in TIME_WAIT too, by where it goes.
     */
    public void connections(PortUse use) {
        SocketDiagnosis asked = kernel;
        if (asked != null) {
            try {
                asked.connections(use);
                return;
            } catch (NetlinkSocket.RefusedException e) {
                kernelRefused = true;
                close();
            }
        }
        for (String name : List.of("net/tcp", "net/tcp6")) {
            use.add(proc.text(name));
        }
    }

    private @Nullable List<ListeningSocket> ask() {
        try {
            if (kernel == null) {
                kernel = SocketDiagnosis.open();
            }
            return kernel.listeners();
        } catch (NetlinkSocket.RefusedException e) {
            // No inet_diag in this kernel, or a sandbox in front of it: the files will do from now
            // on.
            kernelRefused = true;
            close();
            return null;
        }
    }

    @Override
    public void close() {
        if (kernel != null) {
            kernel.close();
            kernel = null;
        }
    }
}
