package dev.komainu.agent.settings;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads a YAML file into dotted names, each value with its line. Only the node tree is read: no tag makes an object. A
 * class of its own, so that an agent without a file never loads the parser.
 */
final class SettingsFile {

    private final Path file;
    private final Map<String, Given> values;
    private final List<String> problems;

    private SettingsFile(Path file, Map<String, Given> values, List<String> problems) {
        this.file = file;
        this.values = values;
        this.problems = problems;
    }

    static void read(Path file, Map<String, Given> values, List<String> problems) {
        LoaderOptions limits = new LoaderOptions();
        limits.setAllowDuplicateKeys(false);
        limits.setMaxAliasesForCollections(0);
        limits.setCodePointLimit(1 << 20);
        try (Reader reader = Files.newBufferedReader(file)) {
            Node root = new Yaml(limits).compose(reader);
            if (root != null) {
                new SettingsFile(file, values, problems).walk("", root);
            }
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
            problems.add("--config: " + file + ":" + line + " (expected: YAML; " + e.getProblem() + ")");
        } catch (YAMLException | IOException e) {
            problems.add("--config: " + file + " (expected: a readable YAML file of at most 1 MB)");
        }
    }

    private void walk(String prefix, Node node) {
        String place = file + ":" + (node.getStartMark().getLine() + 1);
        switch (node) {
            case MappingNode map -> {
                for (NodeTuple entry : map.getValue()) {
                    String key = entry.getKeyNode() instanceof ScalarNode name ? name.getValue() : "?";
                    walk(prefix.isEmpty() ? key : prefix + "." + key, entry.getValueNode());
                }
            }
            case SequenceNode list -> {
                List<String> items = new ArrayList<>();
                for (Node item : list.getValue()) {
                    if (item instanceof ScalarNode scalar) {
                        items.add(scalar.getValue());
                    } else if (item instanceof MappingNode && !prefix.isEmpty() && items.isEmpty()) {
                        walk(prefix + "[" + list.getValue().indexOf(item) + "]", item);
                    } else {
                        problems.add(prefix + ": a nested value in " + place + " (expected: a list of plain values)");
                    }
                }
                if (!items.isEmpty() || list.getValue().isEmpty()) {
                    values.put(prefix, new Given(String.join(",", items), place));
                }
            }
            case ScalarNode scalar -> {
                if (prefix.isEmpty()) {
                    problems.add(place + " (expected: names and values)");
                } else {
                    values.put(prefix, new Given(scalar.getValue(), place));
                }
            }
            default -> problems.add(place + " (expected: names and values)");
        }
    }
}
