package dev.komainu.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A YAML file of settings. Only the tree of nodes is read: no tag creates an object. It is a
 * separate class, so that a part without a file never loads the parser.
 */
public final class SettingsFile {

    /** Size limit in bytes; a larger file is refused before it is read. */
    public static final int MOST_BYTES = 1 << 20;

    private static final int MOST_DEPTH = 50;
    private static final String SOURCE = "file";

    private final Path file;

    private SettingsFile(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @return its settings, each with file and line as its place; empty for an empty file
     * @throws SettingMistakesException naming the file, the mistake and its place
     */
    public static SettingTree read(Path file) throws SettingMistakesException {
        try {
            byte[] bytes;
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(MOST_BYTES + 1);
            }
            if (bytes.length > MOST_BYTES) {
                throw mistake(file + " (expected: at most 1 MB)");
            }
            Node root =
                    parser().compose(new StringReader(new String(bytes, StandardCharsets.UTF_8)));
            if (root == null || isAbsent(root)) {
                return new SettingTree(Map.of());
            }
            if (root instanceof MappingNode map) {
                return new SettingTree(new SettingsFile(file).map(map));
            }
            throw mistake(file + ":" + line(root) + " (expected: a YAML map of settings)");
        } catch (IOException e) {
            throw mistake(file + " (expected: a readable file)");
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
            throw mistake(file + ":" + line + " (expected: YAML; " + e.getProblem() + ")");
        } catch (YAMLException e) {
            throw mistake(file + " (expected: YAML; " + e.getMessage() + ")");
        }
    }

    private static SettingMistakesException mistake(String text) {
        return new SettingMistakesException(List.of("--config: " + text));
    }

    private static Yaml parser() {
        LoaderOptions limits = new LoaderOptions();
        limits.setAllowDuplicateKeys(false);
        limits.setMaxAliasesForCollections(10);
        limits.setNestingDepthLimit(MOST_DEPTH);
        limits.setCodePointLimit(MOST_BYTES);
        return new Yaml(new SafeConstructor(limits));
    }

    private Map<String, WrittenValue> map(MappingNode map) {
        Map<String, WrittenValue> given = new LinkedHashMap<>();
        for (NodeTuple entry : map.getValue()) {
            String key = entry.getKeyNode() instanceof ScalarNode name ? name.getValue() : "?";
            WrittenValue value = given(entry.getValueNode());
            if (given.containsKey(key)) {
                throw new YAMLException(
                        "line " + line(entry.getKeyNode()) + ": " + key + " is written twice");
            }
            if (value != null) {
                given.put(key, value);
            }
        }
        return given;
    }

    private @Nullable WrittenValue given(Node node) {
        String place = file + ":" + line(node);
        return switch (node) {
            case MappingNode map -> new WrittenValue(map(map), SOURCE, place);
            case SequenceNode list -> {
                List<WrittenValue> members = new ArrayList<>();
                for (Node one : list.getValue()) {
                    WrittenValue member = given(one);
                    if (member != null) {
                        members.add(member);
                    }
                }
                yield new WrittenValue(members, SOURCE, place);
            }
            case ScalarNode scalar ->
                isAbsent(scalar) ? null : new WrittenValue(text(scalar), SOURCE, place);
            default ->
                throw new YAMLException("line " + line(node) + ": names and values are expected");
        };
    }

    private static boolean isAbsent(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    /**
     * Returns a scalar as written; a number in a YAML form ({@code 1_000}, {@code 0x10}) in plain
     * digits.
     */
    private static String text(ScalarNode scalar) {
        String written = scalar.getValue();
        boolean isNumber = scalar.getTag().equals(Tag.INT) || scalar.getTag().equals(Tag.FLOAT);
        return isNumber && !written.matches("[+-]?(0|[1-9][0-9]*)([.][0-9]+)?")
                ? String.valueOf(parser().<Object>load(written))
                : written;
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }
}
