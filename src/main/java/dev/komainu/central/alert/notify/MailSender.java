package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Notice;
import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocketFactory;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends mail by SMTP (RFC 5321), one session for each mail. The server's certificate is verified
 * for its name always; STARTTLS is asked for or the mail does not go.
 */
final class MailSender implements NoticeSender {

    private static final Logger LOG = LoggerFactory.getLogger(MailSender.class);

    private final String console;
    private final Duration timeout;
    private final @Nullable SSLSocketFactory tls;

    /**
     * @param tls makes the sockets and decides which certificates are trusted; absent: the Java
     *     platform's default
     */
    MailSender(String console, Duration timeout, @Nullable SSLSocketFactory tls) {
        this.console = console;
        this.timeout = timeout;
        this.tls = tls;
    }

    @Override
    public DeliveryOutcome send(Receiver receiver, Notice notice, String delivery, Instant now) {
        Receiver.Mail to = Objects.requireNonNull(receiver.mail());
        Session session = Session.getInstance(properties(to));
        Transport transport = null;
        try {
            transport = session.getTransport("smtp");
            MimeMessage message = message(session, receiver, to, notice, delivery, now);
            transport.connect(to.host(), to.port(), to.user(), to.password());
            Address[] all = message.getAllRecipients();
            transport.sendMessage(message, all);
            return DeliveryOutcome.delivered(
                    "accepted by " + to.host() + " for " + all.length + " of " + all.length);
        } catch (AuthenticationFailedException e) {
            return DeliveryOutcome.later("user or password refused: " + e.getMessage());
        } catch (SendFailedException e) {
            return partly(e, to);
        } catch (MessagingException e) {
            return DeliveryOutcome.later(reason(e));
        } finally {
            close(transport);
        }
    }

    /**
     * What goes wrong at the farewell changes nothing about the mail, which must not be sent twice
     * for it.
     */
    private static void close(@Nullable Transport transport) {
        if (transport != null) {
            try {
                transport.close();
            } catch (MessagingException e) {
                LOG.debug("A mail server did not take leave: {}", e.getMessage());
            }
        }
    }

    private Properties properties(Receiver.Mail to) {
        String millis = Long.toString(timeout.toMillis());
        Properties properties = new Properties();
        properties.put("mail.smtp.connectiontimeout", millis);
        properties.put("mail.smtp.timeout", millis);
        properties.put("mail.smtp.writetimeout", millis);
        properties.put(
                "mail.smtp.sendpartial",
                "true"); // one wrong address must not cost the others the notice
        properties.put("mail.smtp.auth", Boolean.toString(to.user() != null));
        properties.put("mail.smtp.ssl.checkserveridentity", "true");
        properties.put(
                "mail.smtp.ssl.enable", Boolean.toString(to.security() == Receiver.Security.TLS));
        properties.put(
                "mail.smtp.starttls.enable",
                Boolean.toString(to.security() == Receiver.Security.STARTTLS));
        properties.put(
                "mail.smtp.starttls.required",
                Boolean.toString(to.security() == Receiver.Security.STARTTLS));
        if (tls != null) {
            properties.put("mail.smtp.ssl.socketFactory", tls);
        }
        return properties;
    }

    private MimeMessage message(
            Session session,
            Receiver receiver,
            Receiver.Mail to,
            Notice notice,
            String delivery,
            Instant now)
            throws MessagingException {
        NoticeText wording = new NoticeText(receiver.language(), console);
        MimeMessage message = new MimeMessage(session);
        message.setFrom(new InternetAddress(to.from()));
        for (String each : to.to()) {
            message.addRecipient(Message.RecipientType.TO, new InternetAddress(each));
        }
        message.setSubject(wording.title(notice), "UTF-8");
        message.setText(wording.body(notice), "UTF-8");
        message.setSentDate(Date.from(now));
        // No holiday answers to this (RFC 3834), and all notices of one alert stand in one thread.
        message.setHeader("Auto-Submitted", "auto-generated");
        message.setHeader("References", "<" + notice.alert().id() + "@alert.komainu>");
        message.setHeader("Komainu-Delivery", delivery);
        message.saveChanges();
        return message;
    }

    /** Some got it, or none; and whether another time could be better. */
    private static DeliveryOutcome partly(SendFailedException e, Receiver.Mail to) {
        Address[] sent = e.getValidSentAddresses();
        if (sent != null && sent.length > 0) {
            return DeliveryOutcome.delivered(
                    "accepted by " + to.host() + " for " + sent.length + " of "
                            + to.to().size() + "; refused: " + list(e.getInvalidAddresses()) + " "
                            + list(e.getValidUnsentAddresses()));
        }
        boolean forGood = false;
        for (Exception each = e;
                each instanceof MessagingException one;
                each = one.getNextException()) {
            int code = code(one);
            if (code >= 400 && code < 500) {
                return DeliveryOutcome.later(reason(e));
            }
            forGood |= code >= 500;
        }
        return forGood ? DeliveryOutcome.never(reason(e)) : DeliveryOutcome.later(reason(e));
    }

    /** The server's reply code; 0 when it said none. */
    private static int code(MessagingException e) {
        return switch (e) {
            case SMTPSendFailedException failed -> failed.getReturnCode();
            case SMTPAddressFailedException failed -> failed.getReturnCode();
            case SMTPSenderFailedException failed -> failed.getReturnCode();
            default -> 0;
        };
    }

    private static String list(Address @Nullable [] addresses) {
        return addresses == null
                ? ""
                : Arrays.stream(addresses).map(Address::toString).collect(Collectors.joining(", "));
    }

    /** What the server or the network said, innermost last. */
    private static String reason(MessagingException e) {
        StringBuilder words = new StringBuilder(String.valueOf(e.getMessage()));
        Exception inner = e.getNextException();
        for (int depth = 0; inner != null && depth < 3; depth++) {
            words.append(": ")
                    .append(
                            inner.getMessage() == null
                                    ? inner.getClass().getSimpleName()
                                    : inner.getMessage());
            inner = inner instanceof MessagingException more ? more.getNextException() : null;
        }
        return words.toString();
    }
}
