package dev.komainu.settings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** A YAML file of settings. */
public final class SettingsFile {

    /** Bytes; a larger file is refused before it is read. */
    public static final int MOST_BYTES = 1 << 20;

    private SettingsFile() {}

    /**
     * Reads a file.
     *
     * @return its keys and values as written, trees as maps; empty for an empty file
     * @throws UnreadableSettingsException telling the file, what is wrong, and where
     */
    public static Map<?, ?> read(Path file) throws UnreadableSettingsException {
        try {
            byte[] bytes;
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(MOST_BYTES + 1);
            }
            if (bytes.length > MOST_BYTES) {
                throw new UnreadableSettingsException(file + " (expected: at most 1 MB)");
            }
            Object read =
                    new Yaml(new SafeConstructor(new LoaderOptions())).load(new String(bytes, StandardCharsets.UTF_8));
            if (read == null) {
                return Map.of();
            }
            if (read instanceof Map<?, ?> map) {
                return map;
            }
            throw new UnreadableSettingsException(file + " (expected: a YAML map of settings)");
        } catch (IOException e) {
            throw new UnreadableSettingsException(file + " (expected: a readable file)");
        } catch (YAMLException e) {
            throw new UnreadableSettingsException(file + ": " + e.getMessage());
        }
    }
}
