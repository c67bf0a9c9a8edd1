package dev.komainu.telemetry.report;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The version of Komainu, as the build wrote it into the jar. */
public final class ProductVersion {

    private static final String TEXT = read();

    private ProductVersion() {}

    /**
     * Returns the version, such as {@code 0.1.0}; {@code development} when the classes are not in a
     * jar.
     */
    public static String text() {
        return TEXT;
    }

    private static String read() {
        Properties properties = new Properties();
        try (InputStream in = ProductVersion.class.getResourceAsStream(
                "/META-INF/maven/dev.komainu/komainu-telemetry/pom.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // Treated as a missing jar.
        }
        return properties.getProperty("version", "development");
    }
}
