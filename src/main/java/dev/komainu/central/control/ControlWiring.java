package dev.komainu.central.control;

import com.zaxxer.hikari.HikariDataSource;
import dev.komainu.central.lease.LeaseKeeper;
import dev.komainu.central.room.RoomSettings;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring configuration of this package. */
@Configuration(proxyBeanMethods = false)
class ControlWiring {

    /**
     * Gives the pool its login, and puts {@link ControlConnections} before it, where the control
     * data are on PostgreSQL.
     */
    @Bean
    static BeanPostProcessor controlConnections(
            ObjectProvider<ControlDataSettings> settings,
            ObjectProvider<LeaseKeeper> lease,
            ObjectProvider<ServerRoom> room) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                if (bean instanceof HikariDataSource pool
                        && settings.getObject().onPostgresql()) {
                    pool.setUsername(settings.getObject().user());
                    pool.setPassword(settings.getObject().password());
                    lease.ifAvailable(
                            keeper -> pool.setConnectionInitSql(keeper.connectionBegin()));
                    pool.setExceptionOverride(room.getObject().failures());
                }
                return bean;
            }

            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof DataSource pool && settings.getObject().onPostgresql()
                        ? new ControlConnections(pool)
                        : bean;
            }
        };
    }

    @Bean
    ServerRoom serverRoom(ControlDataSettings settings, RoomSettings room) {
        return new ServerRoom(
                settings.onPostgresql() ? settings.source() : null,
                room.reserveBytes(),
                System::nanoTime);
    }

    @Bean
    LaterWrites laterWrites(
            PlatformTransactionManager transactions, DataSource source, MeterRegistry meters) {
        LaterWrites writes = new LaterWrites(new TransactionTemplate(transactions));
        Gauge.builder(
                        "komainu.control.away",
                        source,
                        each -> each instanceof ControlConnections control && control.isAway()
                                ? 1
                                : 0)
                .description("Whether the database of control data is away")
                .register(meters);
        Gauge.builder("komainu.control.writes.waiting", writes, LaterWrites::waiting)
                .description("Writes of fleet, states and baselines that wait for the database")
                .register(meters);
        FunctionCounter.builder("komainu.control.writes.dropped", writes, LaterWrites::dropped)
                .description("Writes of fleet, states and baselines that were not carried out")
                .register(meters);
        return writes;
    }
}
