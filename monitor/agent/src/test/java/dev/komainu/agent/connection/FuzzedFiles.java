package dev.komainu.agent.connection;

import dev.komainu.agent.accesslog.AccessLogExcerpt;
import dev.komainu.agent.accesslog.LogLinePattern;
import dev.komainu.agent.accesslog.UnreadableFormatException;
import dev.komainu.agent.discovery.apache.ApacheReader;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.gunicorn.GunicornReader;
import dev.komainu.agent.discovery.haproxy.HaproxyReader;
import dev.komainu.agent.discovery.komainu.KomainuReader;
import dev.komainu.agent.discovery.nginx.NginxReader;
import dev.komainu.agent.discovery.phpfpm.PhpFpmReader;
import dev.komainu.agent.discovery.squid.SquidReader;
import dev.komainu.agent.discovery.tomcat.TomcatReader;
import dev.komainu.agent.discovery.uwsgi.UwsgiReader;
import dev.komainu.agent.discovery.varnish.VarnishReader;
import dev.komainu.agent.evidence.EvidenceRing;
import dev.komainu.agent.evidence.EvidenceSettings;
import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.telemetry.record.AccessLogWindow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Targets of {@link Fuzz} that read other files than captures: dumps, access logs, servers'
 * configurations.
 */
final class FuzzedFiles {

    static final List<String> FORMATS = List.of(
            "combined",
            "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" %D %{UNIQUE_ID}e %^FB %{ms}T %{%s}t",
            "$remote_addr [$time_local] $msec \"$request\" $status $bytes_sent $request_time",
            "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt");

    static final List<String> LINES = List.of(
            "10.0.0.1 - - [21/Nov/2026:07:00:00 +0000] \"GET /a\\\"b HTTP/1.1\" 200 512 \"-\" \"curl\" 1234 x 5 6 1\n"
                    + "10.0.0.2 - bob [29/Feb/2024:23:59:59 -1130] \"\" 408 - \"-\" \"-\" -\n",
            "10.0.0.1 [21/Nov/2026:07:00:00 +0000] 1795244400.123 \"POST / HTTP/2.0\" 499 0 12.345\n",
            "1795244400.123     45 10.0.0.1 TCP_MISS/200 512 GET http://a/ - HIER_DIRECT/10.0.0.9 text/html\n");

    /** In the order of {@link #READERS}. */
    static final List<String> CONFIGURATIONS = List.of(
            "user a;\nworker_processes auto;\nevents { worker_connections 768; }\nhttp { map $a $b { default 1; }\n"
                    + "log_format x '$remote_addr $msec'; access_log /l x;\nupstream u { server 10.0.0.1:80 weight=5; keepalive 8; }\n"
                    + "server { listen 80 backlog=99 default_server; listen [::]:80; server_name \"a b\"; keepalive_timeout 5s 6;\n"
                    + "location ~ \\.php$ { proxy_pass http://u/; } include nothing/*.conf; } }\n",
            "ServerRoot /nothing\nListen 80\nMaxRequestWorkers 150\n<IfModule mpm_event_module>\nThreadsPerChild 25\n"
                    + "</IfModule>\nDefine X 1\n<IfDefine !X>\nTimeout 9\n</IfDefine>\n<VirtualHost *:80>\nKeepAlive On \\\n"
                    + "\nProxyPass / http://10.0.0.1/ connectiontimeout=5\nCustomLog ${X}/l \"%h %t\"\n</VirtualHost>\n",
            "http_port 80 accel\ncache_mem 256 MB\nacl a src 10.0.0.0/8\ncache_peer 10.0.0.1 parent 80 0 no-query\n"
                    + "workers 2\nif ${process_number} = 1\nmax_filedesc 9\nendif\naccess_log daemon:/l squid\n"
                    + "logformat x %ts %>a\ninclude nothing\n",
            "global\n maxconn 4096\n nbthread 2\n cpu-map auto:1/1-4 0-3\ndefaults\n timeout client 5s\n mode http\n"
                    + "frontend f\n bind :80 maxconn 9\n default_backend b\nbackend b\n server s 10.0.0.1:80 maxconn 5 \"x y\"\n",
            "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><Server><!-- c --><Service>\n"
                    + "<Executor name='e' maxThreads='9'/><Connector port=\"80\" executor=\"e\" acceptCount=\"${x:-5}\"/>\n"
                    + "<Engine><Host><Valve className='AccessLogValve' pattern='%h &amp; %t'/></Host></Engine></Service></Server>\n",
            "vcl 4.1;\nbackend a { .host = \"10.0.0.1\"; .port = \"80\"; .max_connections = 5; }\n/* c */\n# d\n"
                    + "include \"nothing\";\nsub vcl_recv { set req.backend_hint = a; C{ int x; }C }\n",
            "listen: 127.0.0.1:80\norigin: http://10.0.0.1\nmemory: 64MB\na: &b [1, {c: *b}]\n---\nx: |\n y\n",
            "# c\nworkers = 4\nthreads: int = 2\nbind = ['a', \"b\"]\nworker_class = \"gthread\"  # x\nif True:\n    backlog = 9\n"
                    + "doc = \"\"\"\nworkers = 7\n\"\"\"\nworkers = cpu_count() * 2\naccesslog = '/l'\n",
            "[uwsgi]\nhttp-socket = :80\nprocesses = 4 ; c\nbuffer_size = 8192\nini = nothing:other\n[other]\nlisten = 9\n"
                    + "<uwsgi><processes>4</processes><master/></uwsgi>\nuwsgi:\n  threads: 2\n",
            "[global]\nprocess.max = 9\ninclude = nothing/*.conf\n[www]\nlisten = 127.0.0.1:80\npm = dynamic\npm.max_children = 5\n"
                    + "pm.min_spare_servers = 1\npm.max_spare_servers = 3\nphp_admin_value[memory_limit] = \"32M\"\nenv[A] = $B\n");

    private static final List<ConfigurationReader> READERS = List.of(
            new NginxReader(),
            new ApacheReader(),
            new SquidReader(),
            new HaproxyReader(),
            new TomcatReader(),
            new VarnishReader(),
            new KomainuReader(),
            new GunicornReader(),
            new UwsgiReader(),
            new PhpFpmReader());

    private static final long HOUR_MICROS = 3_600_000_000L;
    private static final long FROM = 1_795_244_400_000_000L;

    private FuzzedFiles() {}

    /** Reads both halves as captures, and continues the newer one. */
    static void evidence(Path file, byte[] newer, byte[] older) throws IOException {
        Path half = file.resolveSibling(file.getFileName() + ".1");
        Files.write(file, newer);
        Files.write(half, older);
        try (CaptureFile capture = new CaptureFile(half)) {
            capture.run(new FrameDecoder(segment -> {}));
        } catch (MalformedCaptureException e) {
            // expected
        }
        try (EvidenceRing ring = EvidenceRing.open(new EvidenceSettings(file, 1 << 20, 0))) {
            // After the continuation the bytes behind the last whole record are gone, so the file
            // can be read to its end.
            try (CaptureFile capture = new CaptureFile(file)) {
                capture.run(new FrameDecoder(segment -> {}));
            } catch (MalformedCaptureException e) {
                throw new AssertionError("carried on, yet cut: " + ring.config(), e);
            }
        } catch (IOException e) {
            if (e.getMessage() == null || !e.getMessage().contains("expected")) {
                throw e;
            }
        } finally {
            Files.deleteIfExists(half);
        }
    }

    static void log(Path file, byte[] lines, byte[] format) throws IOException {
        Files.write(file, lines);
        for (String each :
                List.of("combined", "squid", new String(format, StandardCharsets.ISO_8859_1))) {
            try {
                LogLinePattern compiled = LogLinePattern.compile(each);
                for (AccessLogWindow window : AccessLogExcerpt.windows(
                        file, compiled, HOUR_MICROS, FROM, FROM + 4 * HOUR_MICROS)) {
                    dev.komainu.telemetry.wire.RecordJson.write(window);
                }
                AccessLogExcerpt.recognise(file);
            } catch (UnreadableFormatException e) {
                // expected
            }
        }
    }

    static void configuration(Path file, int kind, byte[] text) throws IOException {
        // Tomcat's is found by its name.
        Path tomcat = file.resolveSibling(file.getFileName() + ".d");
        Path xml = tomcat.resolve("conf/server.xml");
        Files.createDirectories(xml.getParent());
        Files.write(kind == 4 ? xml : file, text);
        String path = file.toString();
        List<String> arguments = switch (kind) {
            case 0 -> List.of("nginx", "-c", path);
            case 1 -> List.of("apache2", "-f", path);
            case 4 -> List.of("java", "-Dcatalina.base=" + tomcat);
            case 6 -> List.of("java", "--config", path);
            case 7 -> List.of("python3", "gunicorn", "-c", path);
            case 8 -> List.of("uwsgi", "--ini", path);
            case 9 -> List.of("php-fpm", "-y", path);
            default -> List.of("server", "-f", path);
        };
        Readings.read(READERS.get(kind), "server", "1.22.1", 80, arguments).toString();
    }
}
