package dev.komainu.settings.kit;

import dev.komainu.settings.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Rules for the texts of settings and for the links of a page. */
final class SettingTexts {

    private static final int MOST_CHARACTERS = 120;
    private static final Pattern EFFECT = Pattern.compile("[\\p{Lu}\\p{N}][^\\n]*[^.\\s]");
    private static final Pattern DETAIL = Pattern.compile("(?s)([\\p{Lu}`]|- ).*\\.");
    private static final Pattern SECOND_SENTENCE = Pattern.compile("[.] \\p{Lu}");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern LINK = Pattern.compile("\\]\\(#([^)]*)\\)");

    private SettingTexts() {}

    /** Returns what breaks a rule, one line each. */
    static List<String> mistakes(Map<String, Setting<?>> settings) {
        List<String> mistakes = new ArrayList<>();
        settings.forEach((key, one) -> {
            String effect = one.effect();
            if (!EFFECT.matcher(effect).matches()
                    || SECOND_SENTENCE.matcher(effect).find()
                    || effect.contains("](")
                    || effect.length() > MOST_CHARACTERS) {
                mistakes.add(key + ": effect: " + effect + " (expected: one phrase of at most "
                        + MOST_CHARACTERS + " characters that begins with a capital, without a"
                        + " full stop, a line break or a link)");
            }
            String detail = one.detail();
            if (!detail.isEmpty() && !DETAIL.matcher(detail).matches()) {
                mistakes.add(key + ": detail: " + detail + " (expected: sentences)");
            }
        });
        return mistakes;
    }

    /** Returns the anchors that a page links to without a heading, or that two headings have. */
    static Set<String> brokenAnchors(String page) {
        Set<String> anchors = new TreeSet<>();
        Set<String> broken = new TreeSet<>();
        HEADING.matcher(page)
                .results()
                .map(found -> SettingsPage.anchor(found.group(1)))
                .forEach(anchor -> {
                    if (!anchors.add(anchor)) {
                        broken.add(anchor);
                    }
                });
        LINK.matcher(page)
                .results()
                .map(found -> found.group(1))
                .filter(anchor -> !anchors.contains(anchor))
                .forEach(broken::add);
        return broken;
    }
}
