package dev.komainu.agent.discovery.tomcat;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The heap and stack options of a Java virtual machine's command line; the last one wins, as in the
 * virtual machine.
 */
final class JavaMemory {

    private static final Pattern SWITCH = Pattern.compile(
            "-(Xmx|Xms|Xss|Xmn|XX:MaxRAMPercentage=|XX:MaxDirectMemorySize=|XX:ActiveProcessorCount=)"
                    + "(\\d[0-9.]*[kKmMgGtT]?)");

    private JavaMemory() {}

    static void read(ServerProcess process, ConfigurationFindings findings) {
        for (String argument : process.arguments()) {
            Matcher matcher = SWITCH.matcher(argument);
            if (matcher.matches()) {
                String name = String.valueOf(matcher.group(1))
                        .replaceFirst("^XX:", "")
                        .replace("=", "");
                findings.putDerived(
                        "jvm:" + name, String.valueOf(matcher.group(2)), "command line");
            }
        }
    }
}
