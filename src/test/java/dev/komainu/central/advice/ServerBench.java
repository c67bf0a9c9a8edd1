package dev.komainu.central.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One server's configuration as its package installs it, in a copy that may be changed, and the
 * server's own check of it.
 */
final class ServerBench {

    static final int PORT = 18581;

    private final String kind;
    private final Path root;

    private ServerBench(String kind, Path root) {
        this.kind = kind;
        this.root = root;
    }

    static ServerBench of(String kind, Path root) {
        return new ServerBench(kind, root);
    }

    Path root() {
        return root;
    }

    boolean isHere() {
        return switch (kind) {
            case "apache" -> Files.exists(Path.of("/usr/sbin/apache2"));
            case "nginx" -> Files.exists(Path.of("/usr/sbin/nginx"));
            case "squid" -> Files.exists(Path.of("/usr/sbin/squid"));
            case "haproxy" -> Files.exists(Path.of("/usr/sbin/haproxy"));
            case "varnish" -> Files.exists(Path.of("/usr/sbin/varnishd"));
            case "gunicorn" -> Files.exists(Path.of("/usr/bin/python3"));
            case "php-fpm" -> Files.exists(Path.of("/usr/sbin/php-fpm8.2"));
            default -> true;
        };
    }

    /**
     * Prepares the copy.
     *
     * @param mpm Apache's module to run
     */
    void prepare(String mpm) throws IOException, InterruptedException {
        switch (kind) {
            case "apache" -> {
                copy("/etc/apache2");
                bash(
                        "cd " + root
                                + "/etc/apache2/mods-enabled && rm -f mpm_* && ln -s ../mods-available/mpm_"
                                + mpm
                                + ".load . && ln -s ../mods-available/mpm_" + mpm
                                + ".conf . && ln -sf"
                                + " ../mods-available/reqtimeout.load . && ln -sf ../mods-available/reqtimeout.conf .");
            }
            case "nginx" -> {
                copy("/etc/nginx");
                bash("cd " + root
                        + "/etc/nginx && rm -f modules-enabled/* && mkdir -p conf.d sites-enabled "
                        + root
                        + "/log && rm -f"
                        + " sites-enabled/* conf.d/* && sed -i 's#/etc/nginx#" + root
                        + "/etc/nginx#; s#/var/log/nginx#"
                        + root + "/log#; s#^pid .*#pid " + root
                        + "/log.pid;#' nginx.conf && printf 'upstream behind"
                        + " {\\n    server 127.0.0.1:18582;\\n}\\nserver {\\n    listen 127.0.0.1:"
                        + PORT
                        + " default_server;\\n    location / { proxy_pass http://behind; }\\n}\\n' >"
                        + " sites-enabled/default");
            }
            case "squid" -> {
                copy("/etc/squid");
                bash("sed -i 's#/etc/squid#" + root + "/etc/squid#' " + root
                        + "/etc/squid/squid.conf");
            }
            case "haproxy" -> {
                copy("/etc/haproxy");
                bash("printf '\\nfrontend web\\n    bind 127.0.0.1:" + PORT
                        + "\\n    default_backend app\\nbackend app\\n    server a 127.0.0.1:18582\\n' >> "
                        + root
                        + "/etc/haproxy/haproxy.cfg");
            }
            case "varnish" -> {
                copy("/etc/varnish");
                copy("/lib/systemd/system/varnish.service", "/etc/systemd/system/varnish.service");
            }
            case "tomcat" -> {
                write(
                        "/etc/tomcat10/server.xml",
                        "<Server port=\"8005\">\n  <!--\n    <Connector executor=\"pool\"\n               port=\""
                                + PORT
                                + "\"/>\n  -->\n  <Service name=\"Catalina\">\n    <Connector port=\""
                                + PORT
                                + "\" protocol=\"HTTP/1.1\"\n               connectionTimeout=\"20000\"/>\n"
                                + "  </Service>\n</Server>\n");
                write("/etc/default/tomcat10", "JAVA_OPTS=\"-Djava.awt.headless=true\"\n");
            }
            case "gunicorn" -> write("/gunicorn.conf.py", "bind = '127.0.0.1:" + PORT + "'\n");
            case "uwsgi" ->
                write(
                        "/etc/uwsgi/apps-enabled/app.ini",
                        "[uwsgi]\nhttp-socket = 127.0.0.1:" + PORT + "\nmaster = true\n");
            case "php-fpm" -> {
                copy("/etc/php/8.2/fpm/php-fpm.conf", "/etc/php/8.2/fpm/php-fpm.conf");
                copy("/etc/php/8.2/fpm/pool.d");
                bash("cd " + root + "/etc/php/8.2/fpm && sed -i 's#^include=.*#include=" + root
                        + "/etc/php/8.2/fpm/pool.d/*.conf#; s#^error_log = .*#error_log = " + root
                        + "/log#; s#^pid = .*#pid = " + root + "/log.pid#' php-fpm.conf");
            }
            case "komainu" ->
                write(
                        "/komainu-proxy.yaml",
                        "listen: 127.0.0.1:" + PORT + "\ncache:\n  policy: lru\n");
            default -> {
                write("/etc/sysctl.d/90-komainu.conf", "net.ipv4.tcp_fin_timeout = 60\n");
                write("/etc/systemd/system/unit.service", "[Service]\nExecStart=/bin/true\n");
            }
        }
    }

    private void copy(String directory) throws IOException, InterruptedException {
        copy(directory, directory);
    }

    private void copy(String from, String to) throws IOException, InterruptedException {
        Path target = root.resolve(to.substring(1));
        if (!Files.isDirectory(Path.of(from))) {
            Files.createDirectories(target.getParent());
            bash("cp -a " + from + " " + target);
            return;
        }
        Files.createDirectories(target);
        // Files that this user may not read, such as Varnish's secret, are not changed by the
        // commands.
        bash("set -o pipefail; tar -C " + from + " --exclude-from=<(cd " + from
                + " && find . -type f ! -readable)" + " -cf - . | tar -C " + target + " -xpf -");
    }

    private void write(String file, String text) throws IOException {
        Path target = root.resolve(file.substring(1));
        Files.createDirectories(target.getParent());
        Files.writeString(target, text);
    }

    /** Returns the copy of a usual file. */
    String file(String usual) {
        return root + (usual.startsWith("/") ? "" : "/") + usual;
    }

    /** Returns the settings that discovery would report beside the setting itself. */
    List<Setting> settings() {
        return List.of(new Setting("systemd:unit", "unit.service", "/proc/100/cgroup"));
    }

    /**
     * Returns the place of a setting in the copy, as discovery would report it: a directive's line,
     * or the command line.
     */
    @Nullable
    Setting find(AdviceItem item, CommandSyntax syntax, String usual) throws IOException {
        Path file = Path.of(usual);
        if (syntax.set() == null || !Files.isRegularFile(file)) {
            return null;
        }
        List<String> names = new ArrayList<>(item.also());
        names.add(item.directive());
        String any = String.join("|", names.stream().map(Pattern::quote).toList());
        Pattern pattern = Pattern.compile(
                switch (item.place()) {
                    case "parameter", "start-parameter" -> "-p (?:" + any + ")=(\\S+)";
                    case "store" -> "-s (\\S+)";
                    case "java" -> "-Xmx(\\w+)";
                    case "connector" -> "\\b(?:" + any + ")=\"([^\"]*)\"";
                    case "listen" -> "\\sbacklog=(\\d+)";
                    case "backend" -> "(?:" + any + ")\\s*=\\s*(\\d+)";
                    case "sysctl" -> "^(?:" + any + ")\\s*=\\s*(.*)$";
                    case "key" -> "^(?:" + any + "):\\s*(\\S+)";
                    case "python", "word", "ini", "pool" ->
                        "^\\s*(?:" + any + ")\\s*=\\s*\"?([^\"#;\\s]+)";
                    case "directive" -> "^(?:" + any + ")\\s+(.*)$";
                    default -> "^\\s*(?:" + any + ")\\s+([^;]*?)\\s*;?$";
                });
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            Matcher matcher = pattern.matcher(lines.get(i));
            if (matcher.find()) {
                String source = syntax.isCommandLine() ? "command line -p" : file + ":" + (i + 1);
                String name = item.setting().startsWith("sysctl:")
                        ? "sysctl-file:" + item.setting().substring(7)
                        : item.setting();
                return new Setting(name, matcher.group(1), source);
            }
        }
        return null;
    }

    /** Runs the server's check; fails with its output. */
    void check() throws IOException, InterruptedException {
        switch (kind) {
            case "apache" ->
                run(
                        List.of(
                                "apache2",
                                "-t",
                                "-d",
                                root + "/etc/apache2",
                                "-f",
                                root + "/etc/apache2/apache2.conf"),
                        Map.of(
                                "APACHE_RUN_USER",
                                "www-data",
                                "APACHE_RUN_GROUP",
                                "www-data",
                                "APACHE_RUN_DIR",
                                root.toString(),
                                "APACHE_LOCK_DIR",
                                root.toString(),
                                "APACHE_LOG_DIR",
                                root.toString(),
                                "APACHE_PID_FILE",
                                root + "/log.pid"));
            case "nginx" ->
                run(List.of("nginx", "-t", "-c", root + "/etc/nginx/nginx.conf"), Map.of());
            case "squid" ->
                run(
                        List.of("squid", "-k", "parse", "-f", root + "/etc/squid/squid.conf"),
                        Map.of());
            case "haproxy" ->
                run(List.of("haproxy", "-c", "-f", root + "/etc/haproxy/haproxy.cfg"), Map.of());
            case "varnish" -> varnish();
            case "gunicorn" ->
                run(
                        List.of(
                                "python3",
                                "-I",
                                "-c",
                                "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read())",
                                root + "/gunicorn.conf.py"),
                        Map.of());
            case "php-fpm" ->
                run(
                        List.of("php-fpm8.2", "-t", "-y", root + "/etc/php/8.2/fpm/php-fpm.conf"),
                        Map.of());
            case "uwsgi" ->
                assertThat(Files.readAllLines(root.resolve("etc/uwsgi/apps-enabled/app.ini")))
                        .allMatch(line -> line.matches("\\[uwsgi]|[a-z-]+ = [\\w.:]+"));
            case "tomcat" -> tomcat();
            case "komainu" -> komainu();
            default -> linux();
        }
    }

    /** {@code -C} reads parameters and program, and ends before it listens. */
    private void varnish() throws IOException, InterruptedException {
        String unit = Files.readString(root.resolve("etc/systemd/system/varnish.service"));
        String start = unit.substring(unit.indexOf("ExecStart="), unit.indexOf("ExecReload="))
                .replace("\\\n", " ");
        List<String> command = new ArrayList<>(List.of(
                "varnishd",
                "-C",
                "-f",
                root + "/etc/varnish/default.vcl",
                "-n",
                root + "/log-varnish"));
        Matcher options = Pattern.compile("(-[ps]) (\\S+)").matcher(start);
        while (options.find()) {
            command.add(options.group(1));
            command.add(options.group(2));
        }
        run(command, Map.of());
    }

    private void tomcat() throws IOException {
        String xml = Files.readString(root.resolve("etc/tomcat10/server.xml"));
        try {
            var reader = javax.xml.stream.XMLInputFactory.newInstance()
                    .createXMLStreamReader(new java.io.StringReader(xml));
            int connectors = 0;
            while (reader.hasNext()) {
                if (reader.next() == javax.xml.stream.XMLStreamConstants.START_ELEMENT
                        && reader.getLocalName().equals("Connector")) {
                    connectors++;
                }
            }
            assertThat(connectors).isEqualTo(1);
        } catch (javax.xml.stream.XMLStreamException e) {
            throw new AssertionError(xml, e);
        }
        assertThat(Files.readString(root.resolve("etc/default/tomcat10")))
                .matches("JAVA_OPTS=\"[^\"\n]*\"\n");
    }

    private void komainu() throws IOException {
        Object read = new org.yaml.snakeyaml.Yaml()
                .load(Files.readString(root.resolve("komainu-proxy.yaml")));
        assertThat(read).isInstanceOf(Map.class);
    }

    private void linux() throws IOException {
        try (Stream<String> lines = Files.lines(root.resolve("etc/sysctl.d/90-komainu.conf"))) {
            assertThat(lines).allMatch(line -> line.matches("[a-z0-9_.-]+ = [0-9]+( [0-9]+)*"));
        }
    }

    private static void bash(String command) throws IOException, InterruptedException {
        run(List.of("bash", "-c", command), Map.of());
    }

    static void run(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(
                        "%s%n%s",
                        String.join(" ", command),
                        output.length() > 4_000 ? output.substring(0, 4_000) : output)
                .isZero();
    }
}
