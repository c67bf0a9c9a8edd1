package dev.komainu.agent.discovery.komainu;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.komainu.KomainuReader.Value;
import java.io.StringReader;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * The proxy's YAML file as dotted names. Only the node tree is read, so no tag creates an object. A
 * separate class, so that an agent without such a proxy never loads the parser.
 */
final class ProxySettingsFile {

    private static final int MAX_DEPTH = 20;

    private final String path;
    private final Map<String, Value> values;

    private ProxySettingsFile(String path, Map<String, Value> values) {
        this.path = path;
        this.values = values;
    }

    static void read(
            ConfigurationFiles files,
            String path,
            Map<String, Value> values,
            ConfigurationFindings findings) {
        String text = files.text(path);
        if (text == null) {
            findings.problem(path, "cannot be read (expected: the proxy's settings)");
            return;
        }
        LoaderOptions limits = new LoaderOptions();
        limits.setMaxAliasesForCollections(0);
        limits.setNestingDepthLimit(MAX_DEPTH);
        limits.setCodePointLimit(1 << 20);
        try {
            Node root = new Yaml(limits).compose(new StringReader(text));
            if (root != null) {
                new ProxySettingsFile(path, values).walk("", root, 0);
            }
        } catch (YAMLException e) {
            findings.problem(path, "cannot be read (expected: YAML)");
        }
    }

    private void walk(String prefix, Node node, int depth) {
        if (depth > MAX_DEPTH) {
            return;
        }
        switch (node) {
            case MappingNode map -> {
                for (NodeTuple entry : map.getValue()) {
                    String key =
                            entry.getKeyNode() instanceof ScalarNode name ? name.getValue() : "?";
                    walk(
                            prefix.isEmpty() ? key : prefix + "." + key,
                            entry.getValueNode(),
                            depth + 1);
                }
            }
            case SequenceNode list -> {
                int number = 0;
                for (Node item : list.getValue()) {
                    walk(prefix + "." + number++, item, depth + 1);
                }
            }
            case ScalarNode scalar ->
                values.put(
                        prefix,
                        new Value(
                                scalar.getValue(),
                                path + ":" + (scalar.getStartMark().getLine() + 1)));
            default -> {
                // An anchor has no target here.
            }
        }
    }
}
