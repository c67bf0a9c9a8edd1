package dev.komainu.agent.discovery.tomcat;

import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.Knob;
import dev.komainu.agent.discovery.tomcat.XmlTags.Tag;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the Connector of one Tomcat port (tomcat.apache.org: HTTP connector, Executor, access log
 * valve), and the memory options of the virtual machine. Key-store passwords in the same element
 * are not read.
 */
public final class TomcatReader implements ConfigurationReader {

    private static final List<Knob> KNOBS = List.of(
            Knob.of("maxThreads", "200"),
            Knob.of("minSpareThreads", "10"),
            Knob.of("maxConnections", "10000").since("8.5", "8192"),
            Knob.of("acceptCount", "100"),
            Knob.of("connectionTimeout", "60000"),
            Knob.of("keepAliveTimeout", ""),
            Knob.of("maxKeepAliveRequests", "100"),
            Knob.of("maxHttpHeaderSize", "8192"),
            Knob.of("maxPostSize", "2097152"),
            Knob.of("acceptorThreadCount", ""),
            Knob.of("pollerThreadCount", ""),
            Knob.of("processorCache", ""),
            Knob.of("tcpNoDelay", "true"),
            Knob.of("useSendfile", "true"),
            Knob.of("compression", "off"),
            Knob.of("SSLEnabled", "false"),
            Knob.of("socket.soTimeout", ""),
            Knob.of("socket.rxBufSize", ""),
            Knob.of("socket.txBufSize", ""));

    /** Directives of an Executor. Its own default of minSpareThreads is 25. */
    private static final List<Knob> EXECUTOR = List.of(
            Knob.of("maxIdleTime", "60000"),
            Knob.of("maxQueueSize", "2147483647"),
            Knob.of("threadPriority", ""));

    private static final Map<String, String> FORMATS = Map.of(
            "common", "%h %l %u %t \"%r\" %s %b",
            "combined", "%h %l %u %t \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\"");

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        findings.expect(KNOBS);
        JavaMemory.read(subject.process(), findings);
        String base = base(subject);
        if (base == null) {
            findings.problem(
                    "command line", "-Dcatalina.base (expected: the directory of this Tomcat)");
            return;
        }
        String path = base + "/conf/server.xml";
        String text = subject.files().text(path);
        if (text == null) {
            findings.problem(path, "cannot be read (expected: the server's configuration)");
            return;
        }
        CatalinaProperties properties =
                CatalinaProperties.of(subject.process(), subject.files(), base);
        List<Tag> tags = XmlTags.of(text);
        connector(tags, path, properties, subject.port(), findings);
        boolean logged = false;
        for (Tag tag : tags) {
            if (tag.name().equals("Valve")
                    && tag.attribute("className", "").endsWith("AccessLogValve")
                    && !tag.attribute("enabled", "true").equals("false")) {
                log(tag, base, path, properties, subject.files().root(), findings);
                logged = true;
            }
        }
        if (!logged) {
            findings.logsElsewhere("off", findings.defaultSource());
        }
    }

    private static @Nullable String base(ConfigurationSubject subject) {
        String base = subject.process().option("-Dcatalina.base");
        return base == null ? subject.process().option("-Dcatalina.home") : base;
    }

    private static void connector(
            List<Tag> tags,
            String path,
            CatalinaProperties properties,
            int port,
            ConfigurationFindings findings) {
        int serverOffset = 0;
        int known = 0;
        for (Tag tag : tags) {
            if (tag.name().equals("Server")) {
                serverOffset = number(properties.resolve(tag.attribute("portOffset", "0")));
            }
            if (tag.name().equals("Connector")) {
                int own = number(properties.resolve(tag.attribute("port", "0")));
                int offset = number(properties.resolve(tag.attribute("portOffset", "0")));
                known += own > 0 ? 1 : 0;
                if (own > 0 && own + serverOffset + offset == port) {
                    if (tag.attribute("protocol", "").toUpperCase(Locale.ROOT).contains("AJP")) {
                        findings.servesElsewhere();
                    }
                    connector(tag, tags, path, properties, findings);
                    return;
                }
            }
        }
        if (known > 0) {
            // Shutdown, management beans, debugging: a Java program listens on many ports.
            findings.servesElsewhere();
        } else {
            findings.problem(path, "no Connector for port " + port);
        }
    }

    private static void connector(
            Tag connector,
            List<Tag> tags,
            String path,
            CatalinaProperties properties,
            ConfigurationFindings findings) {
        apply(connector, path, properties, findings, KNOBS);
        String protocol = connector.attribute("protocol", "HTTP/1.1");
        if (protocol.startsWith("org.apache.coyote.")) {
            findings.putDerived(
                    "protocol",
                    protocol.substring(protocol.lastIndexOf('.') + 1),
                    path + ":" + connector.line());
        }
        String executor = connector.attribute("executor", "");
        for (Tag tag : tags) {
            if (!executor.isEmpty()
                    && tag.name().equals("Executor")
                    && tag.attribute("name", "").equals(executor)) {
                executor(tag, path, properties, findings);
            }
        }
        if (findings.get("keepAliveTimeout") == null) {
            findings.put(
                    "keepAliveTimeout",
                    findings.value("connectionTimeout"),
                    findings.get("connectionTimeout") == null
                            ? findings.defaultSource()
                            : "as connectionTimeout, " + path + ":" + connector.line());
        }
    }

    /** Replaces the connector's threads by those of its executor. */
    private static void executor(
            Tag executor,
            String path,
            CatalinaProperties properties,
            ConfigurationFindings findings) {
        String source = path + ":" + executor.line();
        findings.expect(EXECUTOR);
        boolean virtual = executor.attribute("className", "").endsWith("VirtualThreadExecutor");
        findings.put(
                "maxThreads", virtual ? "unlimited" : "200", source + " (default of Executor)");
        findings.put("minSpareThreads", virtual ? "0" : "25", source + " (default of Executor)");
        apply(executor, path, properties, findings, KNOBS.subList(0, 2));
        apply(executor, path, properties, findings, EXECUTOR);
    }

    private static void apply(
            Tag tag,
            String path,
            CatalinaProperties properties,
            ConfigurationFindings findings,
            List<Knob> knobs) {
        for (Knob knob : knobs) {
            String value = tag.attributes().get(knob.name());
            if (value != null) {
                findings.put(knob.name(), properties.resolve(value), path + ":" + tag.line());
            }
        }
    }

    private static void log(
            Tag valve,
            String base,
            String path,
            CatalinaProperties properties,
            String root,
            ConfigurationFindings findings) {
        String directory = properties.resolve(valve.attribute("directory", "logs"));
        boolean rotates = !valve.attribute("rotatable", "true").equals("false")
                && !valve.attribute("renameOnRotate", "false").equals("true");
        String date = rotates ? "{" + valve.attribute("fileDateFormat", ".yyyy-MM-dd") + "}" : "";
        String file = (directory.startsWith("/") ? directory : base + "/" + directory)
                + "/" + properties.resolve(valve.attribute("prefix", "access_log"))
                + date
                + properties.resolve(valve.attribute("suffix", ""));
        String pattern = valve.attribute("pattern", "common");
        findings.accessLog(new AccessLogPlace(
                file,
                FORMATS.getOrDefault(pattern, pattern),
                AccessLogPlace.Syntax.TOMCAT,
                root,
                path + ":" + valve.line()));
    }

    private static int number(String value) {
        return value.matches("\\d{1,6}") ? Integer.parseInt(value) : 0;
    }
}
