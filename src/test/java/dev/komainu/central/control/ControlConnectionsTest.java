package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Tests of the connections while the server is away, by a clock that is set. */
class ControlConnectionsTest {

    private long nanos = 5;
    private int attempts;
    private @Nullable SQLException failure;
    private final Connection connection = (Connection) Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> null);

    private final ControlConnections connections = new ControlConnections(
            new AbstractDataSource() {
                @Override
                public Connection getConnection() throws SQLException {
                    attempts++;
                    if (failure != null) {
                        throw failure;
                    }
                    return connection;
                }

                @Override
                public Connection getConnection(String user, String password) throws SQLException {
                    return getConnection();
                }
            },
            () -> nanos);

    private void fails(Class<? extends SQLException> with) {
        assertThatThrownBy(connections::getConnection).isInstanceOf(with);
    }

    @Test
    void away_isRefusedAtOnceUntilThePauseIsOver_andRecoversByItself() throws SQLException {
        failure = new SQLTransientConnectionException("timeout", "08001");
        fails(SQLTransientConnectionException.class);
        assertThat(connections.isAway()).isTrue();
        fails(SQLTransientConnectionException.class);
        assertThat(attempts).as("the second one did not wait for the pool").isEqualTo(1);

        nanos += ControlConnections.PAUSE.toNanos();
        fails(SQLTransientConnectionException.class);
        assertThat(attempts).isEqualTo(2);

        failure = null;
        fails(SQLTransientConnectionException.class);
        nanos += ControlConnections.PAUSE.toNanos();
        assertThat(connections.getConnection()).isSameAs(connection);
        assertThat(connections.isAway()).isFalse();
    }

    @Test
    void refusal_namesTheReasonOfTheServer() {
        failure = new SQLException("the database system is starting up", "57P03");
        fails(SQLException.class);

        assertThatThrownBy(connections::getConnection)
                .satisfies(e -> assertThat(ControlDataFailure.of(e))
                        .isEqualTo(ControlDataFailure.RESTARTING));
    }

    @Test
    void anotherFailure_isNoOutage() {
        failure = new SQLException("password authentication failed", "28P01");
        fails(SQLException.class);
        fails(SQLException.class);

        assertThat(connections.isAway()).isFalse();
        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void whileOneTriesAgain_theOthersAreRefused() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        boolean[] isSlow = {false};
        ControlConnections slow = new ControlConnections(
                new AbstractDataSource() {
                    @Override
                    public Connection getConnection() throws SQLException {
                        if (!isSlow[0]) {
                            throw new SQLException("gone", "08006");
                        }
                        entered.countDown();
                        try {
                            if (!leave.await(20, TimeUnit.SECONDS)) {
                                throw new SQLException("no server", "08006");
                            }
                        } catch (InterruptedException e) {
                            throw new SQLException(e);
                        }
                        return connection;
                    }

                    @Override
                    public Connection getConnection(String user, String password)
                            throws SQLException {
                        return getConnection();
                    }
                },
                () -> nanos);
        assertThatThrownBy(slow::getConnection).isInstanceOf(SQLException.class);
        isSlow[0] = true;
        nanos += ControlConnections.PAUSE.toNanos();
        Thread trying = Thread.ofPlatform().start(() -> {
            try {
                Connection unused = slow.getConnection();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();

        assertThatThrownBy(slow::getConnection).isInstanceOf(SQLTransientConnectionException.class);

        leave.countDown();
        trying.join(20_000);
        assertThat(slow.isAway()).isFalse();
    }
}
