package dev.komainu.agent.discovery.configuration;

import java.util.regex.Pattern;

/**
 * Takes out of a log's path or format what no log needs: users in URLs, and whatever follows a word such as password.
 * Those two are free text, so the gate for values cannot judge them. Pure.
 */
final class Redaction {

    private static final Pattern USER_INFO = Pattern.compile("(//)[^/@\\s]*@");
    private static final Pattern SECRET = Pattern.compile(
            "(?i)((?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_]?key|authorization|cookie|bearer|basic|credential)s?"
                    + "[\"']?\\s*[=: ]\\s*[\"']?)(?![\\$%])[^\\s\"'&;,]+");

    private Redaction() {}

    static String of(String text) {
        String shown = USER_INFO.matcher(text).replaceAll("$1");
        return SECRET.matcher(shown).replaceAll("$1***");
    }
}
