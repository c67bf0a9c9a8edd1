package dev.komainu.agent.discovery.tomcat;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A Tomcat's version, read as {@code version.sh} reads it: from a property file inside its
 * {@code catalina.jar}.
 */
public final class TomcatVersion {

    private static final String ENTRY = "org/apache/catalina/util/ServerInfo.properties";
    private static final Pattern INFO =
            Pattern.compile("server\\.info=Apache Tomcat/(\\d+(?:\\.\\d+)*)");
    private static final int MAX_BYTES = 8 << 10;
    private static final long MAX_JAR_BYTES = 64 << 20;

    private TomcatVersion() {}

    /** Returns the version; null when the command line names no home or the jar cannot be read. */
    public static @Nullable String of(ServerProcess process, ConfigurationFiles files) {
        String home = process.option("-Dcatalina.home");
        Path jar = home == null ? null : files.watched(home + "/lib/catalina.jar");
        if (jar == null || jar.toFile().length() > MAX_JAR_BYTES) {
            return null;
        }
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry entry = zip.getEntry(ENTRY);
            if (entry == null) {
                return null;
            }
            try (InputStream in = zip.getInputStream(entry)) {
                Matcher matcher = INFO.matcher(
                        new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1));
                return matcher.find() ? matcher.group(1) : null;
            }
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }
}
