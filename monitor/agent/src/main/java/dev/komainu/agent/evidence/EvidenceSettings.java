package dev.komainu.agent.evidence;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the evidence files and their limits.
 *
 * @param file the newest half; {@code file.1} is the half before
 * @param bytes size limit of both files together; the oldest half is removed when it is reached
 * @param payloadBytes bytes kept behind each TCP header, as far as the capture's snaplen includes
 *     them; more bytes show more of the clients' data
 * @param maskClients whether only the client's network is kept: 24 bits of IPv4, 48 of IPv6;
 *     checksums stay those of the real address
 */
public record EvidenceSettings(Path file, long bytes, int payloadBytes, boolean maskClients) {

    static final Setting<Path> FILE = Setting.path("dump.file", "a file in a directory that exists")
            .that(EvidenceSettings::isPlaceForFile)
            .option("--dump")
            .label("FILE")
            .effect("File with the headers of recent packets, as evidence");

    static final Setting<Long> SIZE = Setting.size("dump.size", "1MB", "16GB")
            .byDefault("64MB")
            .option("--dump-size")
            .effect("Size limit of `FILE` and `FILE.1` together");

    static final Setting<Integer> PAYLOAD = Setting.integer("dump.payload", 0, 65_535)
            .range("0 to 65,535 bytes")
            .byDefault("0")
            .option("--dump-payload")
            .label("BYTES")
            .effect("Payload bytes kept after each TCP header");

    /** Returns the settings; null where no file is given: then no evidence is kept. */
    public static @Nullable EvidenceSettings read(SettingReader reader, boolean maskClients) {
        Path file = reader.find(FILE);
        long bytes = reader.get(SIZE);
        int payloadBytes = reader.get(PAYLOAD);
        return file == null
                ? null
                : new EvidenceSettings(file.toAbsolutePath(), bytes, payloadBytes, maskClients);
    }

    private static boolean isPlaceForFile(Path path) {
        Path directory = path.toAbsolutePath().getParent();
        return directory != null && Files.isDirectory(directory) && !Files.isDirectory(path);
    }

    /** Returns the half before the newest. */
    public Path older() {
        return older(file);
    }

    /** Creates settings that keep clients' addresses whole. */
    public EvidenceSettings(Path file, long bytes, int payloadBytes) {
        this(file, bytes, payloadBytes, false);
    }

    static Path older(Path newest) {
        return newest.resolveSibling(newest.getFileName() + ".1");
    }
}
