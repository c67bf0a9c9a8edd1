package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The TCP sockets of this network namespace, with each listening socket separately. Queried by
 * netlink if possible, because only netlink reports a queue's limit and it does not walk the
 * connections; else read from {@code /proc/net/tcp} and {@code tcp6}. One thread at a time.
 */
public final class ListenerTable implements AutoCloseable {

    private final ProcFiles proc;
    private final boolean askKernel;
    private @Nullable SocketDiagnosis kernel;
    private boolean kernelRefused;

    /**
     * Creates a table.
     *
     * @param askKernel false to read only the files, as tests with a copied {@code /proc} must
     */
    public ListenerTable(ProcFiles proc, boolean askKernel) {
        this.proc = proc;
        this.askKernel = askKernel;
    }

    /** Returns the listening sockets; empty when they cannot be read. */
    public List<ListeningSocket> read() {
        if (askKernel && !kernelRefused) {
            List<ListeningSocket> sockets = query();
            if (sockets != null) {
                return sockets;
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
     * Counts every connection of this network namespace by destination, including those in
     * TIME_WAIT.
     */
    public void connections(PortUse use) {
        SocketDiagnosis diagnosis = kernel;
        if (diagnosis != null) {
            try {
                diagnosis.connections(use);
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

    /** Passes every connection of this network namespace to a consumer. */
    void connected(Consumer<ConnectedSocket> consumer) {
        SocketDiagnosis diagnosis = kernel;
        if (diagnosis != null) {
            try {
                diagnosis.connected(consumer);
                return;
            } catch (NetlinkSocket.RefusedException e) {
                kernelRefused = true;
                close();
            }
        }
        for (String name : List.of("net/tcp", "net/tcp6")) {
            SocketTable.parse(proc.text(name)).forEach(consumer);
        }
    }

    private @Nullable List<ListeningSocket> query() {
        try {
            if (kernel == null) {
                kernel = SocketDiagnosis.open();
            }
            return kernel.listeners();
        } catch (NetlinkSocket.RefusedException e) {
            // No inet_diag in this kernel, or a sandbox blocks it: only the files are read from now
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
