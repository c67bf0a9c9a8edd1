package dev.komainu.central.backup;

import dev.komainu.telemetry.wire.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The table of contents of a complete backup. Its file is written last; a directory without it is
 * no backup.
 *
 * <pre>
 *  {"format":1,…}     JSON, one line
 *  mac HEX            keyed hash of the first line, only when encrypted
 *  sha256 HEX         hash of all bytes above
 * </pre>
 *
 * @param format version of the format
 * @param product version of the service that wrote it
 * @param begun start of the backup
 * @param control instant of the control data: what was committed before is in the backup
 * @param telemetry instant of the telemetry: each batch that was acknowledged before is in the
 *     backup
 * @param migrations versions of the migrations that made the tables of the control data
 * @param encryption how the key was derived; absent: the backup is not encrypted
 * @param missing what belongs to the installation and is not in the backup, a sentence each
 * @param parts all other files
 */
record Manifest(
        int format,
        String product,
        Instant begun,
        Instant control,
        Instant telemetry,
        List<String> migrations,
        BackupKey.@Nullable Derivation encryption,
        List<String> missing,
        List<BackupPart> parts) {

    static final int FORMAT = 1;
    static final String FILE = "manifest";

    private static final String MAC = "mac ";
    private static final String HASH = "sha256 ";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    Manifest {
        migrations = List.copyOf(migrations);
        missing = List.copyOf(missing);
        parts = List.copyOf(parts);
    }

    long bytes() {
        return parts.stream().mapToLong(BackupPart::bytes).sum();
    }

    /** Returns the content of the manifest's file. */
    byte[] written(@Nullable BackupKey key) {
        StringBuilder text = new StringBuilder(JSON.writeValueAsString(this)).append('\n');
        if (key != null) {
            String first = text.toString();
            text.append(MAC)
                    .append(key.mac(FILE, first.getBytes(StandardCharsets.UTF_8)))
                    .append('\n');
        }
        String hash = Sha256.hex(text.toString());
        text.append(HASH).append(hash).append('\n');
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A manifest's file: the manifest, and what the keyed hash covers. */
    record Stored(Manifest manifest, byte[] first, @Nullable String mac) {

        /**
         * Checks that the manifest was written with this key.
         *
         * @throws IOException when it was not
         */
        void check(BackupKey key) throws IOException {
            if (mac == null || !BackupKey.isEqual(mac, key.mac(FILE, first))) {
                throw new IOException(
                        FILE + ": not written with this passphrase (expected: the keyed hash of its"
                                + " first line)");
            }
        }
    }

    /**
     * Reads the manifest of a backup.
     *
     * @throws IOException when there is none, or a byte of it was changed
     */
    static Stored read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw new IOException(directory + ": no complete backup (expected: the file " + FILE
                    + (Files.exists(directory.resolve(BackupTarget.JOURNAL))
                            ? "; this one was broken off: repeat ./komainu backup)"
                            : ")"));
        }
        byte[] bytes = Files.readAllBytes(file);
        int end = bytes.length - HASH.length() - 65;
        if (end < 1
                || !new String(bytes, end, bytes.length - end, StandardCharsets.ISO_8859_1)
                        .equals(HASH + hash(bytes, end) + "\n")) {
            throw damaged("its bytes are not those that were written");
        }
        String[] lines = new String(bytes, 0, end, StandardCharsets.UTF_8).split("\n", -1);
        try {
            int format = JSON.readTree(lines[0]).path("format").asInt(0);
            if (format != FORMAT) {
                throw damaged("format " + format + " (expected: " + FORMAT
                        + "; a newer one needs a newer Komainu)");
            }
            Manifest manifest = JSON.readValue(lines[0], Manifest.class);
            manifest.checkNames();
            boolean hasMac = lines.length == 3 && lines[1].startsWith(MAC);
            return new Stored(
                    manifest,
                    (lines[0] + "\n").getBytes(StandardCharsets.UTF_8),
                    hasMac ? lines[1].substring(MAC.length()) : null);
        } catch (JacksonException e) {
            throw damaged("not a manifest");
        }
    }

    private static String hash(byte[] bytes, int length) {
        byte[] covered = new byte[length];
        System.arraycopy(bytes, 0, covered, 0, length);
        return HexFormat.of().formatHex(Sha256.of(covered));
    }

    private void checkNames() throws IOException {
        Set<String> names = new HashSet<>();
        for (BackupPart part : parts) {
            if (!names.add(part.name())) {
                throw damaged("two parts of the name " + part.name());
            }
        }
    }

    private static IOException damaged(String what) {
        return new IOException(FILE + ": " + what);
    }
}
