package dev.komainu.central.recording;

import dev.komainu.central.recording.RecordedEvent.Accepted;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A reader of recordings. A block that is cut off ends its file, and a damaged block is skipped;
 * both are counted. Belongs to one thread.
 */
public final class RecordingReader {

    private final List<Path> files;
    private long damaged;

    /**
     * Creates a reader.
     *
     * @param recording a file, or a directory of files
     * @throws IOException when there is no such file, or no file in the directory
     */
    public RecordingReader(Path recording) throws IOException {
        files = Files.isDirectory(recording) ? RecordingFiles.in(recording) : List.of(recording);
        if (files.isEmpty()) {
            throw new IOException(
                    recording + ": no file NNNNNNNNNNNNNNNN.rec (expected: a recording)");
        }
    }

    /** Returns the files in their order. */
    public List<Path> files() {
        return files;
    }

    /** Returns the number of damaged blocks so far, and of files that end within a block. */
    public long damaged() {
        return damaged;
    }

    /**
     * Passes every event in order. Facts that a file repeats are passed for the first file only.
     *
     * @throws IOException when a file cannot be read, or is no recording
     */
    public void read(Consumer<RecordedEvent> events) throws IOException {
        for (int i = 0; i < files.size(); i++) {
            read(files.get(i), i == 0, events);
        }
    }

    private void read(Path file, boolean first, Consumer<RecordedEvent> events) throws IOException {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            if (in.readInt() != RecordingFiles.MAGIC) {
                throw new IOException(file + ": not a recording (expected: KRC1 at its beginning)");
            }
            in.readInt();
            while (true) {
                int length;
                try {
                    length = in.readInt();
                } catch (EOFException e) {
                    return;
                }
                if (!RecordingBlock.isPlausible(length)) {
                    damaged++;
                    return;
                }
                byte[] rest = in.readNBytes(4 + length);
                if (rest.length < 4 + length) {
                    damaged++;
                    return;
                }
                ByteBuffer block = ByteBuffer.allocate(RecordingBlock.HEADER + length);
                block.putInt(length).put(rest).flip();
                pass(block, first, events);
            }
        } catch (EOFException e) {
            // Cut off within the header of the file.
            damaged++;
        }
    }

    private void pass(ByteBuffer block, boolean first, Consumer<RecordedEvent> events) {
        List<RecordedEvent> read;
        try {
            read = RecordingBlock.read(block);
        } catch (DamagedBlockException e) {
            damaged++;
            return;
        }
        for (RecordedEvent event : read) {
            boolean repeated = event instanceof Accepted accepted && accepted.repeated();
            if (!repeated || first) {
                events.accept(event);
            }
        }
    }
}
