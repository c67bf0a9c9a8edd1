package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.AlertSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Spring configuration of the notifications. */
@Configuration(proxyBeanMethods = false)
class NotifyWiring {

    @Bean
    NoticeDispatcher courier(
            Receivers receivers,
            DeliveryTable table,
            AlertSettings settings,
            Clock clock,
            MeterRegistry meters,
            Environment environment) {
        ReceiverGuard guard = new ReceiverGuard(
                settings.allow(),
                () -> environment.getProperty("local.server.port", Integer.class, 0));
        WebhookPost post = new WebhookPost(guard, settings.timeout());
        Map<Receiver.Type, NoticeSender> senders = Map.of(
                Receiver.Type.MAIL, new MailSender(settings.url(), settings.timeout(), guard, null),
                Receiver.Type.WEBHOOK, new WebhookSender(post, settings.url()),
                Receiver.Type.SLACK, new SlackSender(post, settings.url()));
        return new NoticeDispatcher(receivers, table, senders, settings, clock, meters);
    }
}
