insert into alert_rule(id, version, body) values
    ('record-server', 1, '{"name":"The server of the telemetry has trouble","kind":"record-server","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":30,"repeatHours":4,"severity":null,"threshold":60,"receivers":[],"enabled":true}');
