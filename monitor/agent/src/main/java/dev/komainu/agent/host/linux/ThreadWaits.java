package dev.komainu.agent.host.linux;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sample of what a server's threads wait for: of each chosen thread the call in which it is
 * blocked, the descriptor of that call, and the connection behind the descriptor. Of a thread that
 * polls one or two descriptors, these are read from the list in its memory, eight bytes each.
 * Nothing of the process is changed or stopped. One thread at a time.
 */
final class ThreadWaits {

    /** Most descriptors of a poll that is a wait for one thing; more of them are an event loop. */
    private static final long MOST_POLLED = 2;

    private static final int POLL_OUT = 4;
    private static final int MOST_DESCRIPTOR = 1 << 24;
    private static final byte[] TASK = NamedCounters.bytes("task/");
    private static final byte[] CALL = NamedCounters.bytes("/syscall");
    private static final byte[] MEMORY = NamedCounters.bytes("mem");
    private static final byte[] DESCRIPTOR = NamedCounters.bytes("fd/");
    private static final byte[] SOCKET = NamedCounters.bytes("socket:[");
    private static final byte[] PIPE = NamedCounters.bytes("pipe:");
    private static final byte[] ANONYMOUS = NamedCounters.bytes("anon_inode:");

    private final KernelReader reader;
    private final SocketTable table;
    private final PoolConnections pools;
    private final int[] counts = new int[ThreadWait.values().length];
    private int read;

    /**
     * Creates an empty sample.
     *
     * @param pools the connections of the sampled processes between server and pools
     */
    ThreadWaits(KernelReader reader, SocketTable table, PoolConnections pools) {
        this.reader = reader;
        this.table = table;
        this.pools = pools;
    }

    /**
     * Adds one thread.
     *
     * @param master whether it belongs to a process that only supervises others, and so sleeps
     */
    void add(TrackedProcess process, long thread, boolean master) {
        if (!reader.readOnce(process.directory(), TASK, thread, CALL)) {
            return;
        }
        SystemCallLine line = SystemCallLine.parse(reader.text());
        if (line.number() == SystemCallLine.UNREADABLE) {
            return;
        }
        read++;
        ThreadWait wait = of(process.directory(), line);
        counts[(master && wait == ThreadWait.SLEEP ? ThreadWait.IDLE : wait).ordinal()]++;
    }

    private ThreadWait of(int process, SystemCallLine line) {
        if (line.number() < 0) {
            return ThreadWait.WORKING;
        }
        return switch (SystemCallKind.of(line.number())) {
            case READ -> ThreadWait.read(target(process, line.first()));
            case WRITE -> ThreadWait.write(target(process, line.first()));
            case CONNECT -> ThreadWait.connect(target(process, line.first()));
            case POLL -> poll(process, line.first(), line.second());
            case SELECT -> line.first() == 0 ? ThreadWait.SLEEP : ThreadWait.IDLE;
            case FUTEX -> ThreadWait.futex(line.second());
            case FILE_LOCK -> ThreadWait.fileLock(target(process, line.first()));
            case FILE_CONTROL ->
                ThreadWait.locks(line.second())
                        ? ThreadWait.fileLock(target(process, line.first()))
                        : ThreadWait.WORKING;
            case SLEEP -> ThreadWait.SLEEP;
            case WORK -> ThreadWait.IDLE;
            case OTHER -> ThreadWait.WORKING;
        };
    }

    private ThreadWait poll(int process, long list, long length) {
        if (length == 0) {
            return ThreadWait.SLEEP;
        }
        if (length < 0 || length > MOST_POLLED) {
            return ThreadWait.IDLE;
        }
        int memory = reader.open(process, MEMORY);
        ThreadWait wait = ThreadWait.IDLE;
        for (long i = 0; i < length; i++) {
            long entry = reader.word(memory, list + i * Long.BYTES, -1);
            // int fd, short events, short revents: the known architectures are little-endian.
            int descriptor = (int) entry;
            boolean out = (entry >>> Integer.SIZE & POLL_OUT) != 0;
            ThreadWait.Target target = target(process, descriptor);
            if (target == ThreadWait.Target.LISTENER) {
                wait = ThreadWait.IDLE;
                break;
            }
            if (target == ThreadWait.Target.CLIENT
                    || target == ThreadWait.Target.BACKEND
                    || (out && target == ThreadWait.Target.SERVER)) {
                wait = out ? ThreadWait.write(target) : ThreadWait.read(target);
            }
        }
        reader.close(memory);
        return wait;
    }

    private ThreadWait.Target target(int process, long descriptor) {
        if (descriptor < 0
                || descriptor > MOST_DESCRIPTOR
                || !reader.link(process, DESCRIPTOR, descriptor)) {
            return ThreadWait.Target.FILE;
        }
        KernelFileText text = reader.text();
        text.rewind();
        if (text.accept(SOCKET)) {
            return socket(inode(text));
        }
        if (text.startsWith(0, PIPE) || text.startsWith(0, ANONYMOUS)) {
            return ThreadWait.Target.OWN;
        }
        String name = text.toString();
        return name.contains("accept") || name.endsWith(" (deleted)")
                ? ThreadWait.Target.ACCEPT_LOCK
                : ThreadWait.Target.FILE;
    }

    /** Returns the number before the closing bracket; -1 when there is none. */
    private static long inode(KernelFileText text) {
        String number = text.word();
        int end = number.indexOf(']');
        return end < 0 ? -1 : DecimalCounters.of(number.substring(0, end), -1);
    }

    /** A socket that is neither a TCP connection nor a listener leads to a helper of the server. */
    private ThreadWait.Target socket(long inode) {
        if (table.isListener(inode)) {
            return ThreadWait.Target.LISTENER;
        }
        if (table.isAcceptedByPool(inode)) {
            return ThreadWait.Target.SERVER;
        }
        ConnectedSocket socket = table.of(inode);
        if (socket != null && table.isAccepted(socket)) {
            return pools.fromServer().contains(socket.localPort())
                    ? ThreadWait.Target.SERVER
                    : ThreadWait.Target.CLIENT;
        }
        return pools.leadsToPool(socket) ? ThreadWait.Target.POOL : ThreadWait.Target.BACKEND;
    }

    /** Returns the counts; null when no thread could be read. */
    @Nullable
    BlockedThreads counts() {
        int working = Arrays.stream(counts).sum() - counts[ThreadWait.IDLE.ordinal()];
        return read == 0
                ? null
                : new BlockedThreads(
                        working,
                        counts[ThreadWait.CLIENT_WRITE.ordinal()],
                        counts[ThreadWait.CLIENT_READ.ordinal()],
                        counts[ThreadWait.BACKEND.ordinal()],
                        counts[ThreadWait.LOCK.ordinal()],
                        counts[ThreadWait.SLEEP.ordinal()]);
    }
}
