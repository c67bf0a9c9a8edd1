package dev.komainu.agent.discovery.tomcat;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.RealServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader's values, compared with those of Tomcat's management beans. */
class RealTomcatTest {

    private static final Path HOME = Path.of("/usr/share/tomcat10");

    @TempDir
    Path base;

    @BeforeAll
    static void setUpAll() {
        RealServer.needs(HOME + "/bin/bootstrap.jar", "tomcat10-common libtomcat10-java");
    }

    @Test
    void discovered_connector_equalsItsBeans() throws Exception {
        int port = freePort();
        Files.createDirectories(base.resolve("conf"));
        Files.createDirectories(base.resolve("webapps/ROOT"));
        Files.createDirectories(base.resolve("temp"));
        Files.writeString(base.resolve("conf/catalina.properties"), """
                common.loader="${catalina.home}/lib","${catalina.home}/lib/*.jar"
                test.wait=8000
                """);
        Files.writeString(base.resolve("conf/web.xml"), "<web-app/>");
        Files.writeString(base.resolve("conf/server.xml"), """
                <Server port="-1" shutdown="hunter2">
                  <Service name="Catalina">
                    <Connector port="${test.port}" address="127.0.0.1" maxThreads="33" acceptCount="77"
                               connectionTimeout="${test.wait:-9000}" maxKeepAliveRequests="7" />
                    <Engine name="Catalina" defaultHost="localhost">
                      <Host name="localhost" appBase="webapps">
                        <Valve className="org.apache.catalina.valves.AccessLogValve" prefix="access" suffix=".log"
                               pattern="combined" buffered="false"/>
                      </Host>
                    </Engine>
                  </Service>
                </Server>
                """);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try (RealServer tomcat = RealServer.start(
                List.of(
                        java,
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dcatalina.home=" + HOME,
                        "-Dcatalina.base=" + base,
                        "-Djava.io.tmpdir=" + base.resolve("temp"),
                        "-Dtest.port=" + port,
                        "-Dtest.wait=1",
                        "-Dtest.password=hunter2",
                        "-cp",
                        HOME + "/bin/bootstrap.jar:" + HOME + "/bin/tomcat-juli.jar",
                        "org.apache.catalina.startup.Bootstrap",
                        "start"),
                base,
                port,
                Map.of())) {
            DiscoveredServer server = tomcat.discovered();
            assertThat(server.kind()).isEqualTo("tomcat");
            assertThat(server.version()).startsWith("10.1.");
            assertThat(server.configuration().problems()).isEmpty();
            try (JMXConnector connector = connect(tomcat.processId())) {
                MBeanServerConnection beans = connector.getMBeanServerConnection();
                ObjectName name = beans
                        .queryNames(new ObjectName("Catalina:type=ThreadPool,name=*"), null)
                        .stream()
                        .filter(bean -> bean.toString().contains(String.valueOf(port)))
                        .findFirst()
                        .orElseThrow();
                for (String attribute : List.of(
                        "maxThreads",
                        "minSpareThreads",
                        "maxConnections",
                        "acceptCount",
                        "connectionTimeout",
                        "keepAliveTimeout",
                        "maxKeepAliveRequests")) {
                    assertThat(Readings.value(server.configuration(), attribute))
                            .as(attribute)
                            .isEqualTo(String.valueOf(beans.getAttribute(name, attribute)));
                }
            }
            assertThat(server.settings())
                    .anyMatch(
                            s -> s.name().equals("socket:backlog") && s.value().equals("77"));
            tomcat.get("/nothing");
            AccessLogPlace log = server.accessLogs().getFirst();
            assertThat(log.file(ZonedDateTime.now())).content().contains("GET /nothing");
            assertThat(server.toString()).doesNotContain("hunter2");
        }
    }

    private static JMXConnector connect(long processId) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(String.valueOf(processId));
        try {
            return JMXConnectorFactory.connect(
                    new JMXServiceURL(machine.startLocalManagementAgent()));
        } finally {
            machine.detach();
        }
    }
}
