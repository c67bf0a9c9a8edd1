package dev.komainu.central.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import org.h2.store.fs.FileBaseDefault;
import org.jspecify.annotations.Nullable;

/**
 * A file's channel that an interrupt of a thread does not close. The channels of the JDK close when
 * a thread is interrupted that reads or writes, and H2 then ends the database for all threads. Here
 * the file is opened and locked again, the call is repeated, and the thread stays interrupted. Any
 * thread.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized")
final class UninterruptedChannel extends FileBaseDefault {

    /** Opens the file. */
    interface Opener {
        FileChannel open() throws IOException;
    }

    private interface Call<T> {
        T on(FileChannel channel) throws IOException;
    }

    private final Opener opener;
    private final Object reopening = new Object();
    private volatile FileChannel base;
    private volatile boolean ended;
    /** Guarded by {@link #reopening}. */
    private @Nullable Lock lock;

    UninterruptedChannel(Opener opener) throws IOException {
        this.opener = opener;
        this.base = opener.open();
    }

    @Override
    public long size() throws IOException {
        return uninterrupted(FileChannel::size);
    }

    @Override
    public int read(ByteBuffer to, long at) throws IOException {
        int position = to.position();
        return uninterrupted(channel -> channel.read(to.position(position), at));
    }

    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        int position = from.position();
        return uninterrupted(channel -> channel.write(from.position(position), at));
    }

    @Override
    protected void implTruncate(long size) throws IOException {
        uninterrupted(channel -> channel.truncate(size));
    }

    @Override
    public void force(boolean metaData) throws IOException {
        uninterrupted(channel -> {
            channel.force(metaData);
            return true;
        });
    }

    @Override
    public @Nullable FileLock tryLock(long at, long size, boolean shared) throws IOException {
        synchronized (reopening) {
            uninterrupted(channel -> {
                FileLock held = channel.tryLock(at, size, shared);
                lock = held == null ? null : new Lock(this, held);
                return true;
            });
            return lock;
        }
    }

    @Override
    protected void implCloseChannel() throws IOException {
        synchronized (reopening) {
            ended = true;
            base.close();
        }
    }

    private <T> T uninterrupted(Call<T> call) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                FileChannel used = base;
                try {
                    return call.on(used);
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    reopen(used, e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void reopen(FileChannel closed, ClosedChannelException cause) throws IOException {
        synchronized (reopening) {
            if (ended) {
                throw cause;
            }
            if (base != closed) {
                return;
            }
            FileChannel next = opener.open();
            if (lock != null && !lock.takeAgain(next)) {
                next.close();
                ended = true;
                throw new IOException(
                        "The file was locked by another process after an interrupt", cause);
            }
            base = next;
        }
    }

    /** The lock of whichever channel is open now. */
    private static final class Lock extends FileLock {

        private volatile FileLock held;

        Lock(FileChannel channel, FileLock held) {
            super(channel, held.position(), held.size(), held.isShared());
            this.held = held;
        }

        boolean takeAgain(FileChannel channel) throws IOException {
            FileLock again = channel.tryLock(position(), size(), isShared());
            if (again != null) {
                held = again;
            }
            return again != null;
        }

        @Override
        public Channel acquiredBy() {
            return held.acquiredBy();
        }

        @Override
        public boolean isValid() {
            return held.isValid();
        }

        @Override
        public void release() throws IOException {
            if (held.isValid()) {
                held.release();
            }
        }
    }
}
