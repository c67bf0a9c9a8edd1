package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * One of the kernel's files, kept open and read again from its start: the kernel writes it anew at
 * each read. A file that is not there is looked for again at each read, since modules bring files
 * with them. One thread at a time.
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
     * The whole text, from its first byte; null when it cannot be read. Good until the reader reads
     * again.
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

    /** As {@link #read}, but nothing where nothing can be read. */
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
