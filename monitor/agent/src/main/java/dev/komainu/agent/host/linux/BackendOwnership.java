package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The connections that one server's processes opened, found among those of the host by the
 * processes' descriptors. Descriptors are searched only for connections that were not seen before,
 * and a bounded number of them in a reading. One thread at a time.
 */
final class BackendOwnership {

    private static final int MOST_DESCRIPTORS = 2_048;
    private static final byte[] DESCRIPTORS = NamedCounters.bytes("fd");
    private static final byte[] DESCRIPTOR = NamedCounters.bytes("fd/");
    private static final byte[] SOCKET = NamedCounters.bytes("socket:[");

    private final KernelReader reader;
    /** True for a connection of the server itself, by the connection's inode. */
    private Map<Long, Boolean> known = new HashMap<>();

    private int next;

    BackendOwnership(KernelReader reader) {
        this.reader = reader;
    }

    /**
     * Counts the connections that the processes opened.
     *
     * @param leftOut remote addresses whose connections do not count
     */
    SocketTable.Backends count(
            SocketTable table, List<TrackedProcess> processes, Set<Endpoint> leftOut) {
        List<ConnectedSocket> opened = table.opened();
        Map<Long, Boolean> kept = new HashMap<>();
        Set<Long> unknown = new HashSet<>();
        for (ConnectedSocket socket : opened) {
            Boolean own = known.get(socket.inode());
            if (own == null) {
                unknown.add(socket.inode());
            } else {
                kept.put(socket.inode(), own);
            }
        }
        known = kept;
        if (!unknown.isEmpty() && !processes.isEmpty()) {
            search(unknown, processes);
        }
        List<ConnectedSocket> own = new ArrayList<>();
        for (ConnectedSocket socket : opened) {
            if (known.getOrDefault(socket.inode(), false) && !leftOut.contains(socket.remote())) {
                own.add(socket);
            }
        }
        return SocketTable.count(own);
    }

    private void search(Set<Long> unknown, List<TrackedProcess> processes) {
        int searched = 0;
        int looked = 0;
        for (;
                looked < processes.size() && searched < MOST_DESCRIPTORS && !unknown.isEmpty();
                looked++) {
            TrackedProcess process = processes.get((next + looked) % processes.size());
            List<Long> descriptors = new ArrayList<>();
            reader.numbersIn(process.directory(), DESCRIPTORS, number -> {
                if (descriptors.size() < MOST_DESCRIPTORS) {
                    descriptors.add(number);
                }
            });
            for (long descriptor : descriptors) {
                searched++;
                long inode = inode(process.directory(), descriptor);
                if (unknown.remove(inode)) {
                    known.put(inode, true);
                }
            }
        }
        if (looked >= processes.size()) {
            unknown.forEach(inode -> known.put(inode, false));
        } else {
            next = (next + looked) % processes.size();
        }
    }

    private long inode(int process, long descriptor) {
        if (!reader.link(process, DESCRIPTOR, descriptor)) {
            return -1;
        }
        KernelFileText text = reader.text();
        text.rewind();
        String rest = text.accept(SOCKET) ? text.word() : "";
        int end = rest.indexOf(']');
        return end < 0 ? -1 : DecimalCounters.of(rest.substring(0, end), -1);
    }
}
