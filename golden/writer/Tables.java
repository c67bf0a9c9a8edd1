import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Counts the rows of each table of the central service's databases: {@code Tables DATA OUTPUT-DIRECTORY}. */
final class Tables {

    private Tables() {}

    public static void main(String[] args) throws Exception {
        Path data = Path.of(args[0]);
        Path output = Path.of(args[1]);
        Files.write(
                output.resolve("h2-tables.txt"),
                counts("jdbc:h2:file:" + data.resolve("control") + ";ACCESS_MODE_DATA=r", "komainu", "PUBLIC"));
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".duckdb")).sorted().toList()) {
                Files.write(output.resolve("duckdb-tables.txt"), counts("jdbc:duckdb:" + file, "", "main"));
            }
        }
    }

    private static List<String> counts(String url, String user, String schema) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url, user, "");
                Statement statement = connection.createStatement()) {
            List<String> names = new ArrayList<>();
            try (ResultSet tables = statement.executeQuery(
                    "select table_name from information_schema.tables where table_schema = '" + schema + "' order by table_name")) {
                while (tables.next()) {
                    names.add(tables.getString(1));
                }
            }
            for (String name : names) {
                try (ResultSet count = statement.executeQuery("select count(*) from \"" + name + "\"")) {
                    count.next();
                    lines.add(name + " " + count.getLong(1));
                }
            }
        }
        return lines;
    }
}
