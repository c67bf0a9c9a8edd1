package dev.komainu.agent.discovery.program;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A parser of versions and compiled-in paths in the output of programs. Pure. */
public final class VersionText {

    private static final Pattern NUMBER = Pattern.compile(
            "(?:nginx/|openresty/|Apache/|Version |version |varnish-|HAProxy |PHP )(\\d+(?:\\.[0-9A-Za-z~+-]+)*)");

    /** uWSGI prints nothing else: {@code 2.0.21-debian}. */
    private static final Pattern ALONE = Pattern.compile("\\s*(\\d+(?:\\.[0-9A-Za-z~+-]+)+)\\s*");

    private static final Pattern OWN_JAR =
            Pattern.compile("komainu-proxy[a-z-]*-(\\d+(?:\\.\\d+)*(?:-[A-Z0-9]+)?)\\.jar");

    private VersionText() {}

    /** Returns {@code 1.22.1} of {@code nginx version: nginx/1.22.1}; absent when there is none. */
    public static @Nullable String version(String text) {
        Matcher matcher = NUMBER.matcher(text);
        if (matcher.find()) {
            return matcher.group(1);
        }
        Matcher alone = ALONE.matcher(text);
        return alone.matches() ? alone.group(1) : null;
    }

    /** Returns a value of {@code nginx -V}, such as {@code --conf-path=/etc/nginx/nginx.conf}. */
    public static @Nullable String nginxArgument(String text, String name) {
        Matcher matcher =
                Pattern.compile("--" + Pattern.quote(name) + "=(\\S+)").matcher(text);
        return matcher.find() ? matcher.group(1) : null;
    }

    /**
     * Returns a value of {@code apache2 -V}, such as {@code -D SERVER_CONFIG_FILE="apache2.conf"}.
     */
    public static @Nullable String apacheDefine(String text, String name) {
        Matcher matcher =
                Pattern.compile("-D " + Pattern.quote(name) + "=\"([^\"]*)\"").matcher(text);
        return matcher.find() ? matcher.group(1) : null;
    }

    /**
     * Returns the version of Komainu's proxy, from its jar's name on the command line:
     * {@code komainu-proxy-0.1.0.jar}.
     */
    public static @Nullable String komainu(List<String> arguments) {
        for (String argument : arguments) {
            Matcher matcher = OWN_JAR.matcher(argument);
            if (matcher.find()) {
                return matcher.group(1);
            }
        }
        return null;
    }
}
