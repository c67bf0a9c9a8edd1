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
import java.io.IOException;
import java.security.cert.CertificateException;
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
import org.eclipse.angus.mail.util.MailConnectException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sender of mail by SMTP (RFC 5321), one session for each mail. The server's certificate is
 * always verified against its name. Where STARTTLS is configured, mail is not sent without it.
 */
final class MailSender implements NoticeSender {

    private static final Logger LOG = LoggerFactory.getLogger(MailSender.class);

    private final String console;
    private final Duration timeout;
    private final ReceiverGuard guard;
    private final @Nullable SSLSocketFactory tls;

    /**
     * Creates the sender.
     *
     * @param guard decides which addresses are connected to
     * @param tls creates the sockets and decides which certificates are trusted; absent: the
     *     default of the Java platform
     */
    MailSender(
            String console, Duration timeout, ReceiverGuard guard, @Nullable SSLSocketFactory tls) {
        this.console = console;
        this.timeout = timeout;
        this.guard = guard;
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
            guard.resolve(to.host(), to.port());
            transport.connect(to.host(), to.port(), to.user(), to.password());
            Address[] all = message.getAllRecipients();
            transport.sendMessage(message, all);
            return DeliveryOutcome.delivered(
                    "Accepted by " + to.host() + " for " + all.length + " of " + all.length);
        } catch (AuthenticationFailedException e) {
            return DeliveryOutcome.later("User or password refused: " + e.getMessage());
        } catch (SendFailedException e) {
            return partly(e, to);
        } catch (MessagingException e) {
            return unconnected(e) ? notReached(to, e) : DeliveryOutcome.later(reason(e));
        } catch (IOException e) {
            return notReached(to, e);
        } finally {
            close(transport);
        }
    }

    /**
     * Reports whether there was no mail server. The library's texts contain what else answered at
     * the port.
     */
    private static boolean unconnected(MessagingException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return false;
            }
        }
        String text = String.valueOf(e.getMessage());
        return e instanceof MailConnectException
                || text.startsWith("Could not connect")
                || text.startsWith("Got bad greeting");
    }

    private static DeliveryOutcome notReached(Receiver.Mail to, Exception reason) {
        // The text can contain what another service answered.
        LOG.warn(
                "A mail by {}:{} failed: {}",
                to.host(),
                to.port(),
                reason.toString().replaceAll("\\p{Cntrl}+", " "));
        return DeliveryOutcome.later(ReceiverGuard.NOT_REACHED);
    }

    /**
     * Closes the session. A failure here is only logged: the mail has been accepted and must not be
     * sent twice.
     */
    private static void close(@Nullable Transport transport) {
        if (transport != null) {
            try {
                transport.close();
            } catch (MessagingException e) {
                LOG.debug("A mail session was not closed cleanly: {}", e.getMessage());
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
                "true"); // one wrong address must not prevent the delivery to the others
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
        properties.put("mail.smtp.socketFactory", new GuardedSocketFactory(guard, to.host()));
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
        for (String address : to.to()) {
            message.addRecipient(Message.RecipientType.TO, new InternetAddress(address));
        }
        message.setSubject(wording.title(notice), "UTF-8");
        message.setText(wording.body(notice), "UTF-8");
        message.setSentDate(Date.from(now));
        // Prevents automatic replies (RFC 3834) and puts all notices of one alert into one thread.
        message.setHeader("Auto-Submitted", "auto-generated");
        message.setHeader("References", "<" + notice.alert().id() + "@alert.komainu>");
        message.setHeader("Komainu-Delivery", delivery);
        message.saveChanges();
        return message;
    }

    /** Returns the outcome of a mail that was accepted for some recipients or for none. */
    private static DeliveryOutcome partly(SendFailedException e, Receiver.Mail to) {
        Address[] sent = e.getValidSentAddresses();
        if (sent != null && sent.length > 0) {
            return DeliveryOutcome.delivered(
                    "Accepted by " + to.host() + " for " + sent.length + " of "
                            + to.to().size() + "; refused: " + list(e.getInvalidAddresses()) + " "
                            + list(e.getValidUnsentAddresses()));
        }
        boolean forGood = false;
        for (Exception cause = e;
                cause instanceof MessagingException chained;
                cause = chained.getNextException()) {
            int code = code(chained);
            if (code >= 400 && code < 500) {
                return DeliveryOutcome.later(reason(e));
            }
            forGood |= code >= 500;
        }
        return forGood ? DeliveryOutcome.never(reason(e)) : DeliveryOutcome.later(reason(e));
    }

    /** Returns the server's reply code; 0 without one. */
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

    /** Returns the messages of the exception and its causes, innermost last. */
    private static String reason(MessagingException e) {
        StringBuilder text = new StringBuilder(String.valueOf(e.getMessage()));
        Exception inner = e.getNextException();
        for (int depth = 0; inner != null && depth < 3; depth++) {
            text.append(": ")
                    .append(
                            inner.getMessage() == null
                                    ? inner.getClass().getSimpleName()
                                    : inner.getMessage());
            inner = inner instanceof MessagingException more ? more.getNextException() : null;
        }
        return text.toString();
    }
}
