package dev.komainu.agent.host.linux;

/** The activity or the wait of a thread at one moment. */
enum ThreadWait {
    /** Waits for work, or in a way that cannot be told from it. */
    IDLE,
    CLIENT_WRITE,
    CLIENT_READ,
    BACKEND,
    LOCK,
    SLEEP,
    /** Runs, waits for a disk, or waits in another call. */
    WORKING;

    /** The thing behind a descriptor. */
    enum Target {
        CLIENT,
        BACKEND,
        LISTENER,
        /** The server that passes requests to the process, which belongs to an application pool. */
        SERVER,
        /** An application pool, whose own threads show what is waited for. */
        POOL,
        /** A pipe, an event or a signal: between threads and processes of the server. */
        OWN,
        /** A file, or unknown. */
        FILE,
        /** A file by which the processes of a server take turns to accept. */
        ACCEPT_LOCK
    }

    private static final int PRIVATE = 128;
    private static final int OPERATION = 127;
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_LOCK_PI = 6;
    private static final int FUTEX_LOCK_PI2 = 13;
    private static final int SET_LOCK_AND_WAIT = 7;
    private static final int SET_OWN_LOCK_AND_WAIT = 38;

    /**
     * Returns the wait of a read, or of a poll for input.
     *
     * @param target behind the descriptor
     */
    static ThreadWait read(Target target) {
        return switch (target) {
            case CLIENT -> CLIENT_READ;
            case BACKEND -> BACKEND;
            case LISTENER, SERVER, POOL, OWN -> IDLE;
            case FILE, ACCEPT_LOCK -> WORKING;
        };
    }

    /**
     * Returns the wait of a write, or of a poll for output.
     *
     * @param target behind the descriptor
     */
    static ThreadWait write(Target target) {
        return switch (target) {
            // A pool's response waits for the server, which waits for its client.
            case CLIENT, SERVER -> CLIENT_WRITE;
            case BACKEND -> BACKEND;
            case LISTENER, POOL -> IDLE;
            case OWN, FILE, ACCEPT_LOCK -> WORKING;
        };
    }

    /**
     * Returns the wait of a connect call. A descriptor that cannot be read counts as a backend.
     *
     * @param target behind the descriptor
     */
    static ThreadWait connect(Target target) {
        return target == Target.POOL ? IDLE : BACKEND;
    }

    /**
     * Returns the wait of a futex call. The C library waits for a mutex of one process by the plain
     * operation; for conditions and semaphores, by which pools wait for work, it uses the operation
     * with a bit set. Mutexes shared by processes serialise accept.
     *
     * @param operation second argument of the call (futex(2))
     */
    static ThreadWait futex(long operation) {
        long command = operation & OPERATION;
        return (operation & PRIVATE) != 0
                        && (command == FUTEX_WAIT
                                || command == FUTEX_LOCK_PI
                                || command == FUTEX_LOCK_PI2)
                ? LOCK
                : IDLE;
    }

    /** Returns the wait of a lock of a file. */
    static ThreadWait fileLock(Target target) {
        return target == Target.ACCEPT_LOCK ? IDLE : LOCK;
    }

    /** Reports whether an fcntl(2) command waits for a lock. */
    static boolean locks(long command) {
        return command == SET_LOCK_AND_WAIT || command == SET_OWN_LOCK_AND_WAIT;
    }
}
