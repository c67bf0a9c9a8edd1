package dev.komainu.intermediary.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.net.ConnectException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ErrnoTest {

    /** Loads Netty's library, which defines its errors. */
    @BeforeAll
    static void loadLibrary() {
        Epoll.ensureAvailability();
    }

    @Test
    void number_isReadFromExceptionAndMessage_neverFromTheErrorText() {
        assertThat(Errno.of(new Errors.NativeIoException("accept", -24, false)))
                .isEqualTo(Errno.EMFILE);
        assertThat(Errno.of(new ConnectException(
                        "finishConnect(..) failed with error(-111): Bağlantı reddedildi")))
                .isEqualTo(Errno.ECONNREFUSED);
        assertThat(Errno.of(new IOException("Connection refused"))).isZero();
    }

    @Test
    void shortageOfDescriptors_isKnownInEveryLanguage() {
        assertThat(Errno.isOutOfDescriptors(new Errors.NativeIoException("accept", -24, false)))
                .isTrue();
        assertThat(Errno.isOutOfDescriptors(new Errors.NativeIoException("accept", -23, false)))
                .isTrue();
        assertThat(Errno.isOutOfDescriptors(
                        new IOException("accept(..) failed with error(-24): Çok fazla açık dosya")))
                .isTrue();
        assertThat(Errno.isOutOfPorts(new Errors.NativeIoException("connect", -99, false)))
                .isTrue();
        assertThat(Errno.isOutOfDescriptors(new IOException("Too many open files")))
                .isTrue();
        assertThat(Errno.isOutOfDescriptors(new Errors.NativeIoException("read", -104, false)))
                .isFalse();
    }
}
