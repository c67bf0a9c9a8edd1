package dev.komainu.agent.discovery.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerKindTest {

    @Test
    void of_programs_areDistinguished() {
        assertThat(kind("/usr/sbin/nginx", "nginx: master process nginx -c /x"))
                .isEqualTo(ServerKind.NGINX);
        assertThat(kind("/usr/sbin/apache2", "/usr/sbin/apache2\0-k\0start\0"))
                .isEqualTo(ServerKind.APACHE);
        assertThat(kind(
                        "/opt/jdk/bin/java",
                        "java\0-cp\0x\0org.apache.catalina.startup.Bootstrap\0start\0"))
                .isEqualTo(ServerKind.TOMCAT);
        assertThat(kind("/opt/jdk/bin/java", "java\0dev.komainu.proxy.ProxyServer\0"))
                .isEqualTo(ServerKind.KOMAINU);
        assertThat(kind("/opt/jdk/bin/java", "java\0dev.komainu.central.CentralApplication\0"))
                .isEqualTo(ServerKind.CENTRAL);
        assertThat(kind("/opt/jdk/bin/java", "java\0-jar\0x.jar\0")).isEqualTo(ServerKind.OTHER);
        assertThat(kind(null, "")).isEqualTo(ServerKind.OTHER);
        assertThat(kind("/usr/bin/python3.11", "/usr/bin/python3\0/usr/bin/gunicorn\0a:b\0"))
                .isEqualTo(ServerKind.GUNICORN);
        assertThat(kind("/usr/bin/python3.11", "python3\0-m\0gunicorn\0a:b\0"))
                .isEqualTo(ServerKind.GUNICORN);
        assertThat(kind("/usr/bin/python3.11", "gunicorn: master [a:b]\0"))
                .isEqualTo(ServerKind.GUNICORN);
        assertThat(kind("/usr/bin/python3.11", "python3\0/srv/app.py\0gunicorn\0"))
                .as("gunicorn is an argument of another program")
                .isEqualTo(ServerKind.OTHER);
        assertThat(kind("/usr/bin/uwsgi-core", "uwsgi\0--ini\0a.ini\0"))
                .isEqualTo(ServerKind.UWSGI);
        assertThat(kind(
                        "/usr/sbin/php-fpm8.2",
                        "php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)\0"))
                .isEqualTo(ServerKind.PHP_FPM);
    }

    @Test
    void option_everyForm_isFound() {
        ServerProcess process =
                process("/usr/sbin/nginx", "nginx: master process nginx -p /srv -c/etc/a.conf");
        assertThat(process.option("-p")).isEqualTo("/srv");
        assertThat(process.option("-c")).isEqualTo("/etc/a.conf");
        assertThat(process.option("-g")).isNull();
        assertThat(process("/x", "java\0-Dcatalina.base=/srv/t\0").option("-Dcatalina.base"))
                .isEqualTo("/srv/t");
    }

    @Test
    void version_everyProgramsOutput_isParsed() {
        assertThat(VersionText.version("nginx version: nginx/1.22.1\n")).isEqualTo("1.22.1");
        assertThat(VersionText.version("Server version: Apache/2.4.71 (Debian)\n"))
                .isEqualTo("2.4.71");
        assertThat(VersionText.version("Squid Cache: Version 5.7\n")).isEqualTo("5.7");
        assertThat(VersionText.version("HAProxy version 2.6.12-1+deb12u2 2025/04/28"))
                .isEqualTo("2.6.12-1+deb12u2");
        assertThat(VersionText.version("varnishd (varnish-7.1.1 revision 7cee1c)"))
                .isEqualTo("7.1.1");
        assertThat(VersionText.version("PHP 8.2.29 (fpm-fcgi) (built: Jul  3 2026 16:30:00)"))
                .isEqualTo("8.2.29");
        assertThat(VersionText.version("2.0.21-debian\n")).isEqualTo("2.0.21-debian");
        assertThat(VersionText.version("no number 2.0 here 7")).isNull();
        assertThat(VersionText.version("")).isNull();
        assertThat(VersionText.komainu(List.of(
                        "java",
                        "-cp",
                        "/x/komainu-proxy-core-0.1.0-SNAPSHOT.jar:/x/lib/*",
                        "Main")))
                .isEqualTo("0.1.0-SNAPSHOT");
    }

    @Test
    void isTrustworthy_fileWritableByAllUsers_isFalse(@TempDir Path directory) throws Exception {
        Path program = Files.writeString(directory.resolve("nginx"), "#!/bin/sh\ntouch /tmp/ran\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(ProgramOutput.isTrustworthy(program)).isFalse();
        assertThat(ProgramOutput.isTrustworthy(Path.of("/bin/sh"))).isTrue();
    }

    private static ServerKind kind(@org.jspecify.annotations.Nullable String program, String line) {
        return ServerKind.of(process(program, line));
    }

    private static ServerProcess process(
            @org.jspecify.annotations.Nullable String program, String line) {
        return new ServerProcess(1, program, ServerProcess.split(line), true, "/");
    }
}
