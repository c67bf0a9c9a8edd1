package dev.komainu.agent.evidence;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files that keep evidence, and their bounds.
 *
 * @param file the newest half; {@code file.1} is the half before
 * @param bytes both files together never take more; the oldest half goes when it is reached
 * @param payloadBytes kept behind each TCP header, as far as the capture's snaplen has them; more
 *     shows what clients said
 * @param maskClients keep the client's network only: 24 bits of IPv4, 48 of IPv6; checksums stay
 *     those of the real address
 */
public record EvidenceSettings(Path file, long bytes, int payloadBytes, boolean maskClients) {

    static final Setting<Path> FILE = Setting.path("dump.file", "a file in a directory that exists")
            .that(EvidenceSettings::isPlaceForFile)
            .option("--dump")
            .label("FILE")
            .effect("keeps the headers of recent packets, for evidence");

    static final Setting<Long> SIZE = Setting.size("dump.size", "1MB", "16GB")
            .byDefault("64MB")
            .option("--dump-size")
            .effect("`FILE` and `FILE.1` together");

    static final Setting<Integer> PAYLOAD = Setting.integer("dump.payload", 0, 65_535)
            .range("0 to 65,535 bytes")
            .byDefault("0")
            .option("--dump-payload")
            .label("BYTES")
            .effect("kept behind each TCP header");

    /** @return null where no file is given: then no evidence is kept */
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

    /** The half before the newest. */
    public Path older() {
        return older(file);
    }

    /** Clients as they are. */
    public EvidenceSettings(Path file, long bytes, int payloadBytes) {
        this(file, bytes, payloadBytes, false);
    }

    static Path older(Path newest) {
        return newest.resolveSibling(newest.getFileName() + ".1");
    }
}
