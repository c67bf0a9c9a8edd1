package dev.komainu.agent.discovery.tomcat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TomcatReaderTest {

    @TempDir
    Path base;

    private Path file = Path.of("/");

    @BeforeEach
    void setUp() throws Exception {
        Files.createDirectories(base.resolve("conf"));
        file = base.resolve("conf/server.xml");
    }

    @Test
    void read_connectorOfThePort_isReadWithoutItsPasswords() throws Exception {
        Files.writeString(file, """
                <?xml version="1.0"?>
                <!DOCTYPE server [ <!ENTITY x SYSTEM "file:///etc/passwd"> ]>
                <Server port="8005">
                  <!-- <Connector port="8080" maxThreads="1"/> -->
                  <Connector port="8443" keystorePass="secret" maxThreads="2"/>
                  <Connector port="8080" protocol="HTTP/1.1" note="a > b"
                             maxThreads="300" keystorePass="secret" acceptCount="&x;" />
                  <Valve className="org.apache.catalina.valves.AccessLogValve" directory="logs"
                         prefix="localhost_access_log" suffix=".txt" pattern="%h %l %u %t &quot;%r&quot; %s %b %D" />
                </Server>
                """);
        ServerConfiguration read = read(8080);
        assertThat(read.settings())
                .contains(
                        new Setting("maxThreads", "300", file + ":6"),
                        new Setting("connectionTimeout", "60000", "default of tomcat 10.1.60"),
                        new Setting("keepAliveTimeout", "60000", "default of tomcat 10.1.60"));
        assertThat(read.problems())
                .containsExactly(file + ":6: acceptCount (expected: a number or a known word)");
        assertThat(read.toString()).doesNotContain("secret");
        assertThat(read.accessLogs()).singleElement().satisfies(log -> {
            assertThat(log.path()).isEqualTo(base + "/logs/localhost_access_log{.yyyy-MM-dd}.txt");
            assertThat(log.format()).isEqualTo("%h %l %u %t \"%r\" %s %b %D");
            assertThat(log.file(ZonedDateTime.of(2026, 11, 21, 4, 0, 0, 0, ZoneOffset.UTC)))
                    .isEqualTo(base.resolve("logs/localhost_access_log.2026-11-21.txt"));
        });
    }

    @Test
    void read_placeholdersExecutorAndOffset_areResolved() throws Exception {
        Files.writeString(
                base.resolve("conf/catalina.properties"), "http.port=8000\ndb.password=hunter2\n");
        Files.writeString(file, """
                <Server port="8005" portOffset="80">
                  <Executor name="pool" maxThreads="${threads}" minSpareThreads="4"/>
                  <Connector executor="pool" port="${http.port}" maxThreads="9" connectionTimeout="${wait:-20000}"
                             maxConnections="${db.password}"/>
                </Server>
                """);
        ServerConfiguration read = read(8080, "-Dthreads=77", "-Xmx512m");
        assertThat(read.settings())
                .contains(
                        new Setting("maxThreads", "77", file + ":2"),
                        new Setting("minSpareThreads", "4", file + ":2"),
                        new Setting("connectionTimeout", "20000", file + ":3"),
                        new Setting(
                                "keepAliveTimeout",
                                "20000",
                                "as connectionTimeout, " + file + ":3"),
                        new Setting("jvm:Xmx", "512m", "command line"));
        assertThat(read.toString()).doesNotContain("hunter2");
    }

    @Test
    void read_portWithoutHttpConnector_servesElsewhere() throws Exception {
        Files.writeString(file, """
                <Server port="8005">
                  <Connector port="8080"/>
                  <Connector port="8009" protocol="AJP/1.3"/>
                </Server>
                """);
        assertThat(read(8080).serves()).isTrue();
        assertThat(read(8009).serves()).isFalse();
        assertThat(read(9010).serves()).as("management beans").isFalse();
    }

    @Property(tries = 500)
    void tags_anyText_end(@ForAll("likely") String text) {
        XmlTags.of(text);
    }

    @Provide
    Arbitrary<String> likely() {
        return Arbitraries.strings().withChars("<>/!-?[]=\"' ab&;\nCDATA").ofMaxLength(60);
    }

    private ServerConfiguration read(int port, String... more) {
        List<String> arguments =
                new java.util.ArrayList<>(List.of("java", "-Dcatalina.base=" + base));
        arguments.addAll(List.of(more));
        return Readings.read(new TomcatReader(), "tomcat", "10.1.60", port, arguments);
    }
}
