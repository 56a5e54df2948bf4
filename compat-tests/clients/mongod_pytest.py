"""Starts a mongod as pytest-mongo does: by its path, with its options, until its port is open."""

import os
import socket
import subprocess
import time

import pymongo
import pytest


def free_port():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        return taken.getsockname()[1]


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(('127.0.0.1', port)) == 0


@pytest.fixture(scope='session')
def mongodb(tmp_path_factory):
    folder = tmp_path_factory.mktemp('mongo')
    port = free_port()
    command = [
        os.environ['MONGOD'], '--bind_ip', '127.0.0.1', '--port', str(port),
        '--dbpath', str(folder), '--logpath', str(folder / 'mongo.log'),
        '--nojournal', '--noauth', '--nohttpinterface', '--noprealloc',
    ]
    with subprocess.Popen(command) as mongod:
        end = time.monotonic() + 60
        while not is_open(port) and time.monotonic() < end and mongod.poll() is None:
            time.sleep(0.05)
        yield pymongo.MongoClient('127.0.0.1', port)
        mongod.terminate()


def test_it_finds_what_it_stored(mongodb):
    mongodb.shop.orders.insert_one({'_id': 1, 'total': 7})
    assert mongodb.shop.orders.find_one({'_id': 1})['total'] == 7
