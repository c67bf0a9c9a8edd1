package dev.komainu.organizer.page;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * The settings of the page prefetch.
 *
 * @param pushBytes maximum that this member's servers push with one page; 0: nothing
 * @param holdBytes maximum of stored pushes, kept until a client requests them; 0: none is accepted
 * @param life maximum time for which a push is stored, fresh or not. Objects of a page are
 *     requested within seconds or never
 */
public record PageSettings(long pushBytes, long holdBytes, Duration life) {

    static final Setting<Long> PUSH = Setting.size("pages.push", "0", "16MB")
            .byDefault("1MB")
            .effect("Maximum that this member's servers push with one page; 0: nothing is "
                    + "learnt or pushed")
            .detail("""
                    See [What a page will need](../organizer.md#what-a-page-will-need).""");
    static final Setting<Long> HOLD = Setting.of(
                    "pages.hold", "0, or 1MB to 4GB", PageSettings::hold)
            .byDefault("32MB")
            .effect("Memory for responses that other members push; 0: none is kept")
            .detail("""
                    The responses are kept until clients of `front.listen` request them.""");

    private static final Duration LIFE = Duration.ofSeconds(10);

    public static final PageSettings DEFAULT = read(SettingReader.ofDefaults());

    public static final PageSettings OFF = new PageSettings(0, 0, LIFE);

    public static PageSettings read(SettingReader reader) {
        return new PageSettings(reader.get(PUSH), reader.get(HOLD), LIFE);
    }

    /**
     * Reads the settings of a member embedded in a proxy. The proxy has its own cache for its
     * clients, so the member accepts no pushes.
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
