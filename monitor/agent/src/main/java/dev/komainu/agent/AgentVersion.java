package dev.komainu.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Which Komainu this is, as the build wrote it into the jar. */
final class AgentVersion {

    private AgentVersion() {}

    static String text() {
        Properties properties = new Properties();
        try (InputStream in =
                AgentVersion.class.getResourceAsStream("/META-INF/maven/dev.komainu/komainu-agent/pom.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // As without a jar.
        }
        return properties.getProperty("version", "development");
    }
}
