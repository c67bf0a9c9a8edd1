package dev.komainu.central.backup.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * The control data of this service in some database. Backups, and moves to another database, read
 * and write it by this interface only.
 */
public interface ControlData {

    /** The receiver of an export. It opens a stream for each table, which the export closes. */
    interface Sink {

        /** Opens the stream for the rows of a table. */
        OutputStream open(String table) throws IOException;

        /** Accepts the sum of a table whose stream was closed. */
        void written(String table, TableSum sum) throws IOException;
    }

    /** The origin of rows that are loaded. */
    interface Source {

        /** Opens the rows of a table, as a sink received them. */
        InputStream open(String table) throws IOException;
    }

    /**
     * Writes all rows of all tables as of one instant.
     *
     * @return the versions of the migrations that made the tables, in the order of their execution
     */
    List<String> export(Sink sink) throws SQLException, IOException;

    /**
     * Replaces all rows of all tables in one transaction.
     *
     * @param tables the tables of the source; they must be those of the database
     * @return the sum of each table as loaded
     * @throws IOException naming the table and the line that was wrong; then nothing is changed
     */
    Map<String, TableSum> load(Iterable<String> tables, Source source)
            throws SQLException, IOException;
}
