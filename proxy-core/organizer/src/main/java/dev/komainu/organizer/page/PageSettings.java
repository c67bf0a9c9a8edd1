package dev.komainu.organizer.page;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * What tunes how the objects of a page come with it.
 *
 * @param pushBytes most that this member's servers send unasked beside one page; 0: nothing
 * @param holdBytes of what came unasked, kept until a client asks; 0: it is not taken
 * @param life how long it is kept at most, fresh or not. A page's objects are asked for within
 *     seconds or never
 */
public record PageSettings(long pushBytes, long holdBytes, Duration life) {

    static final Setting<Long> PUSH =
            Setting.size("pages.push", "0", "16MB").byDefault("1MB").effect("""
                    most that this member's servers send unasked beside one [page](../organizer.md#what-a-page-will-need); 0: nothing is learnt or
                    sent""");
    static final Setting<Long> HOLD = Setting.of(
                    "pages.hold", "0, or 1MB to 4GB", PageSettings::hold)
            .byDefault("32MB")
            .effect("""
                    for responses that other members push, kept until clients of `front.listen` request them; 0: none is kept""");

    private static final Duration LIFE = Duration.ofSeconds(10);

    public static final PageSettings DEFAULT = read(SettingReader.ofDefaults());

    public static final PageSettings OFF = new PageSettings(0, 0, LIFE);

    public static PageSettings read(SettingReader reader) {
        return new PageSettings(reader.get(PUSH), reader.get(HOLD), LIFE);
    }

    /**
     * Inside a proxy, which has a cache of its own for what its clients ask: it takes nothing
     * unasked.
     */
    public static PageSettings readInside(SettingReader reader) {
        return new PageSettings(reader.get(PUSH), 0, LIFE);
    }

    private static Long hold(String text) {
        long bytes = SettingGrammar.size(text);
        if (bytes != 0 && (bytes < 1L << 20 || bytes > 4L << 30)) {
            throw SettingGrammar.wrong(text, "0, or 1MB to 4GB");
        }
        return bytes;
    }
}
