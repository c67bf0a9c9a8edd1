insert into alert_rule (id, version, body) values
    ('disk-full', 1, '{"name":"A disk is full","kind":"disk-full","states":[],"service":null,"needed":1,"ofSeconds":1,"clearSeconds":5,"repeatHours":4,"severity":null,"threshold":null,"receivers":[],"enabled":true}');
