package dev.komainu.central.indices;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * A reader for rules, flowcharts and catalogues that are data: YAML on the class path. Unknown keys
 * are refused.
 */
public final class YamlResource {

    private static final YAMLMapper MAPPER = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .build();

    private YamlResource() {}

    /**
     * Reads a file of a user.
     *
     * @throws IOException naming the file, and the line of a mistake
     */
    public static <T> T readFile(Path file, Class<T> type) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return MAPPER.readValue(in, type);
        } catch (JacksonException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads a resource.
     *
     * @throws IllegalStateException naming the resource, and the line of a mistake
     */
    public static <T> T read(String resource, Class<T> type) {
        try (InputStream in = YamlResource.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + ": not on the class path");
            }
            return MAPPER.readValue(in, type);
        } catch (JacksonException e) {
            throw new IllegalStateException(resource + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IllegalStateException(resource + ": could not be read", e);
        }
    }
}
