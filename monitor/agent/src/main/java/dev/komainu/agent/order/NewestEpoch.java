package dev.komainu.agent.order;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.record.Order;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The newest epoch of an order that this agent accepted. A central service whose lease another one
 * has taken signs with an older one, and its orders are refused.
 *
 * <p>Stored in a file beside the journal, {@code KEY EPOCH}. An epoch belongs to the key of its
 * orders: the orders of another key begin with any epoch. The file is written before the order is
 * carried out. {@link #accept}: the orders' thread only; {@link #number}: any thread.
 */
final class NewestEpoch {

    static final String FILE = "epoch";

    private final Path file;
    private final String key;
    private volatile long number;

    /**
     * Reads the epoch.
     *
     * @param directory directory of the journal
     * @param key the key of the accepted orders as text
     * @throws IOException when the file cannot be read or has a mistake. No order is accepted then:
     *     without the epoch an older one would be carried out
     */
    NewestEpoch(Path directory, String key) throws IOException {
        this.file = directory.resolve(FILE);
        this.key = key;
        this.number = Files.exists(file) ? read() : 0;
    }

    private long read() throws IOException {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        String[] words = text.split(" ", -1);
        try {
            if (words.length == 2) {
                long epoch = Long.parseLong(words[1]);
                if (epoch > 0) {
                    return words[0].equals(key) ? epoch : 0;
                }
            }
        } catch (NumberFormatException e) {
            // Told below, as every other mistake.
        }
        throw new IOException(
                file + ": has a mistake (expected: a key and a number, as written by this agent)");
    }

    /** Returns the newest accepted epoch; 0: none. */
    long number() {
        return number;
    }

    /**
     * Checks the epoch of an order whose signature was verified, and remembers a newer one. It is
     * on the disk when this returns.
     *
     * @throws OrderRefusedException with {@code older-epoch}
     * @throws IOException when a newer one cannot be stored
     */
    void accept(Order order) throws OrderRefusedException, IOException {
        long epoch = order.epoch();
        if (epoch < number) {
            throw OrderRefusedException.untouched(
                    "older-epoch",
                    (epoch == 0 ? "without an epoch" : "of an older epoch: " + epoch)
                            + ", the newest seen is " + number);
        }
        if (epoch > number) {
            PrivateFiles.replace(
                    file, (key + " " + epoch + "\n").getBytes(StandardCharsets.ISO_8859_1));
            number = epoch;
        }
    }
}
