import json
import sys
import paho.mqtt.client as mqtt


def on_connect(client, *_):
    client.subscribe("shoe/+/round", qos=1)


def on_message(client, userdata, message):
    r = json.loads(message.payload)
    print(r["table"], r["shoe"], r["round"], r["status"], r.get("outcome", r["why"]), flush=True)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="show-rounds", clean_session=False)
client.on_connect, client.on_message = on_connect, on_message
client.connect("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 1883)
client.loop_forever()
