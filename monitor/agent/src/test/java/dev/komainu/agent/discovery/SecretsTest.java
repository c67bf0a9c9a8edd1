package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.apache.ApacheReader;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.gunicorn.GunicornReader;
import dev.komainu.agent.discovery.haproxy.HaproxyReader;
import dev.komainu.agent.discovery.komainu.KomainuReader;
import dev.komainu.agent.discovery.nginx.NginxReader;
import dev.komainu.agent.discovery.phpfpm.PhpFpmReader;
import dev.komainu.agent.discovery.squid.SquidReader;
import dev.komainu.agent.discovery.tomcat.TomcatReader;
import dev.komainu.agent.discovery.uwsgi.UwsgiReader;
import dev.komainu.agent.discovery.varnish.VarnishReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Configurations with many secrets, some of them broken: semicolons, quotes, brackets and line
 * breaks are removed at random, so that a secret follows a reported directive. No secret may be in
 * the data sent or logged.
 */
class SecretsTest {

    private static Path directory = Path.of("/");

    @BeforeContainer
    static void makeDirectory() throws IOException {
        directory = Files.createTempDirectory("secrets");
        Files.createDirectories(directory.resolve("conf"));
    }

    @AfterContainer
    static void removeDirectory() throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path path : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /**
     * A kind of server with its file, command line and text; the character § stands for the secret.
     */
    private record Case(
            ConfigurationReader reader,
            String kind,
            String file,
            List<String> arguments,
            String text) {}

    private static List<Case> cases() {
        String root = directory.toString();
        return List.of(
                new Case(
                        new NginxReader(),
                        "nginx",
                        "nginx.conf",
                        List.of("nginx", "-c", root + "/nginx.conf"),
                        """
                        worker_processes 2;
                        env API_TOKEN=§;
                        # password §
                        http {
                            log_format own '$remote_addr "$request"';
                            secret_link_md5 "§$uri";
                            access_log /var/log/x.log own;
                            auth_basic_user_file /etc/§;
                            keepalive_timeout 65;
                            ssl_password_file /§;
                            upstream app { server 127.0.0.1:81 max_conns=5; zone § 1m; keepalive 4; }
                            server {
                                listen 80 backlog=5;
                                proxy_set_header Authorization "Basic §";
                                proxy_read_timeout 5s;
                                proxy_set_header X-Key §;
                                location / { proxy_pass http://user:§@app/; set $k '§'; }
                                location /x { return 302 https://h/?token=§; proxy_pass http://10.0.0.1:82/?key=§; }
                            }
                        }
                        """),
                new Case(
                        new ApacheReader(),
                        "apache",
                        "apache2.conf",
                        List.of("apache2", "-d", root),
                        """
                        Timeout 60
                        SetEnv DB_PASSWORD §
                        Define secret §
                        KeepAliveTimeout 5
                        LogFormat "%h %l \\"%r\\" %>s" own
                        AuthBasicFake admin §
                        CustomLog /var/log/a.log own
                        RequestHeader set Authorization "Bearer §"
                        SSLPassPhraseDialog "exec:/§"
                        <VirtualHost *:80>
                            ProxyPass / http://user:§@10.0.0.1:81/?token=§
                            DBDParams "pass=§"
                            MaxKeepAliveRequests 7
                            SessionCryptoPassphrase §
                            CustomLog "|/bin/log --key §" own
                            <Proxy balancer://x>
                                BalancerMember ajp://127.0.0.1:8009 secret=§
                            </Proxy>
                        </VirtualHost>
                        """),
                new Case(
                        new TomcatReader(),
                        "tomcat",
                        "conf/server.xml",
                        List.of("java", "-Dcatalina.base=" + root, "-Ddb=§"),
                        """
                        <Server port="8005" shutdown="§">
                          <Resource password="§" url="jdbc:x://u:§@h/"/>
                          <Connector port="80" maxThreads="3" keystorePass="§" acceptCount="4" secret="§"/>
                          <Realm connectionPassword="§"/>
                          <Valve className="org.apache.catalina.valves.AccessLogValve" prefix="a" pattern="%h %s"/>
                          <Valve className="Auth" key="§"/>
                        </Server>
                        """),
                new Case(
                        new SquidReader(),
                        "squid",
                        "squid.conf",
                        List.of("squid", "-f", root + "/squid.conf"),
                        """
                        http_port 80 cert=/x key=/§
                        cachemgr_passwd § all
                        cache_mem 8 MB
                        auth_param basic program /x -w §
                        read_timeout 7 minutes
                        logformat own %ts %>a
                        request_header_add X-Key "§"
                        access_log stdio:/var/log/s.log own
                        cache_peer 10.0.0.1 parent 81 0 login=user:§
                        external_acl_type x /y §
                        cache_dir ufs /§ 10 2 2
                        client_lifetime 1 day
                        # §
                        """),
                new Case(
                        new HaproxyReader(),
                        "haproxy",
                        "h.cfg",
                        List.of("haproxy", "-f", root + "/h.cfg"),
                        """
                        global
                            maxconn 10
                            stats socket /x
                            setenv KEY §
                        userlist u
                            user a insecure-password §
                        defaults
                            timeout client 5s
                            stats auth admin:§
                            option http-server-close
                        frontend f
                            bind :80 ssl crt /§ backlog 7
                            http-request set-header Authorization "Basic §"
                            default_backend b
                            log-format "%ci §"
                        backend b
                            balance roundrobin
                            option httpchk GET /?key=§
                            server a 127.0.0.1:81 maxconn 4 cookie §
                            cookie § insert
                        """),
                new Case(
                        new VarnishReader(),
                        "varnish",
                        "v.vcl",
                        List.of(
                                "varnishd",
                                "-a",
                                ":80",
                                "-f",
                                root + "/v.vcl",
                                "-S",
                                "/§",
                                "-s",
                                "file,/§,1m",
                                "-p",
                                "thread_pools=§"),
                        """
                        vcl 4.1;
                        backend a {
                            .host = "127.0.0.1";
                            .port = "81";
                            .max_connections = 3;
                            .probe = { .request = "GET / HTTP/1.1" "Authorization: Basic §"; }
                        }
                        # §
                        acl x { "127.0.0.1"; }
                        sub vcl_recv {
                            if (req.http.key == "§") { set req.http.Authorization = "Bearer §"; }
                        }
                        """),
                new Case(
                        new KomainuReader(),
                        "komainu",
                        "k.yaml",
                        List.of("java", "--config", root + "/k.yaml"),
                        """
                        workers: 2
                        control:
                          token: §
                          token-file: /§
                        origin: http://user:§@127.0.0.1:81/?key=§
                        cache:
                          memory: 8MB
                        password: §
                        """),
                new Case(
                        new GunicornReader(),
                        "gunicorn",
                        "g.py",
                        List.of(
                                "python3",
                                "gunicorn",
                                "-c",
                                root + "/g.py",
                                "--env",
                                "K=§",
                                "app:§"),
                        """
                        secret = "§"
                        workers = 4
                        raw_env = ["TOKEN=§"]
                        keyfile = '/§'
                        timeout = 30
                        worker_class = "§"
                        """),
                new Case(
                        new UwsgiReader(),
                        "uwsgi",
                        "u.ini",
                        List.of("uwsgi", "--ini", root + "/u.ini", "--env", "K=§"),
                        """
                        [uwsgi]
                        http-socket = :80
                        processes = 4
                        env = PASSWORD=§
                        set-ph = key=§
                        listen = 100
                        route-run = basicauth:x,a:§
                        """),
                new Case(
                        new PhpFpmReader(),
                        "php-fpm",
                        "p.conf",
                        List.of("php-fpm", "-y", root + "/p.conf"),
                        """
                        [www]
                        listen = 80
                        pm = dynamic
                        pm.max_children = 5
                        env[SECRET] = §
                        php_admin_value[sendmail_path] = "§"
                        php_admin_value[memory_limit] = 32M
                        ;§
                        """));
    }

    @Property(tries = 200)
    void read_brokenConfigurationWithSecrets_returnsNoSecret(
            @ForAll("secrets") String secret, @ForAll Random random, @ForAll boolean whole)
            throws IOException {
        for (Case sample : cases()) {
            String text = whole ? sample.text() : broken(sample.text(), random);
            Files.writeString(
                    directory.resolve(sample.file()),
                    text.replace("§", secret),
                    StandardCharsets.ISO_8859_1);
            List<String> arguments = sample.arguments().stream()
                    .map(word -> word.replace("§", secret))
                    .toList();
            ServerConfiguration read = Readings.read(
                    sample.reader(),
                    sample.kind(),
                    "9.9",
                    80,
                    arguments,
                    "KEY=" + secret,
                    "TOKEN=" + secret,
                    "db=" + secret);
            assertThat(read.toString()).as(text).doesNotContain(secret);
        }
    }

    /** Removes up to six characters that structure a text. */
    private static String broken(String text, Random random) {
        StringBuilder broken = new StringBuilder(text);
        for (int i = random.nextInt(6); i >= 0; i--) {
            int at = random.nextInt(broken.length());
            while (at < broken.length() && ";\"'{}<>\n".indexOf(broken.charAt(at)) < 0) {
                at++;
            }
            if (at < broken.length()) {
                broken.deleteCharAt(at);
            }
        }
        return broken.toString();
    }

    @Provide
    Arbitrary<String> secrets() {
        return Arbitraries.strings()
                .withCharRange('a', 'z')
                .withCharRange('A', 'Z')
                .withCharRange('0', '9')
                .ofMinLength(6)
                .ofMaxLength(24)
                .map(text -> "h2" + text);
    }
}
