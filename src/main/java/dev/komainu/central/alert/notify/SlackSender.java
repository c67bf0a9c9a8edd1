package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Notice;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/**
 * A sender to an incoming webhook of Slack or of a compatible service (Mattermost, Rocket.Chat).
 */
final class SlackSender implements NoticeSender {

    /**
     * Longest text of a section block (Slack's Block Kit reference), less the characters of its
     * fence.
     */
    private static final int LONGEST = 2_900;

    private final WebhookPost post;
    private final String console;
    private final JsonMapper json = JsonMapper.builder().build();

    SlackSender(WebhookPost post, String console) {
        this.post = post;
        this.console = console;
    }

    @Override
    public DeliveryOutcome send(Receiver receiver, Notice notice, String delivery, Instant now) {
        Receiver.Hook hook = Objects.requireNonNull(receiver.hook());
        return post.send(hook.url(), Map.of(), json.writeValueAsBytes(message(receiver, notice)));
    }

    Map<String, Object> message(Receiver receiver, Notice notice) {
        NoticeText wording = new NoticeText(receiver.language(), console);
        String title = escape(wording.title(notice));
        return Map.of(
                "text",
                title, // the preview in a push notification
                "blocks",
                List.of(section("*" + title + "*"), section(escape(wording.body(notice)))));
    }

    private static Map<String, Object> section(String text) {
        String fitting = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
        return Map.of("type", "section", "text", Map.of("type", "mrkdwn", "text", fitting));
    }

    /**
     * Escapes the three control characters of Slack. Otherwise a name could mention a whole
     * channel.
     */
    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
