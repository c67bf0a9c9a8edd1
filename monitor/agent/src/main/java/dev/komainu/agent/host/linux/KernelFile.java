package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * One of the kernel's files, kept open and read again from its start: the kernel generates the
 * content at each read. A missing file is searched again at each read, because kernel modules add
 * files. One thread at a time.
 */
final class KernelFile implements AutoCloseable {

    private final KernelReader reader;
    private final String path;
    private int file = KernelReader.NONE;

    KernelFile(KernelReader reader, String path) {
        this.reader = reader;
        this.path = path;
    }

    /**
     * Returns the whole text, positioned at its first byte; null when it cannot be read. Valid
     * until the reader's next read.
     */
    @Nullable
    KernelFileText read() {
        if (file < 0) {
            file = reader.open(path);
        }
        if (file >= 0 && !reader.read(file)) {
            close();
        }
        return file < 0 ? null : reader.text();
    }

    /** Returns the whole text; empty when it cannot be read. Valid until the reader's next read. */
    KernelFileText text() {
        KernelFileText read = read();
        if (read == null) {
            reader.text().clear();
        }
        return reader.text();
    }

    @Override
    public void close() {
        reader.close(file);
        file = KernelReader.NONE;
    }
}
